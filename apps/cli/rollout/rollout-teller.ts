import { stringify } from 'yaml';
import { type Clock, FleetError } from '#kit/std';
import type { DeploymentResource } from '#protocol/api';
import type { ApiClient } from '../client/api-client.ts';
import type { Io } from '../command.ts';
import { LiveScreen } from '../output/live-screen.ts';
import { paintFor, plain } from '../output/paint.ts';
import type { DataFormat } from '../output/render-data.ts';
import { renderTime } from '../output/render-time.ts';
import { readSurroundings } from './read-rollout.ts';
import { renderRollout } from './render-rollout.ts';
import type { Drawing, RolloutPicture } from './rollout-picture.ts';
import { tellChanges } from './tell-changes.ts';

/** How progress is shown: redrawn in place, line by line, or as data. */
export interface RolloutTeller {
  /** Called for every change, and periodically without one as time passes. */
  tell(deployment: DeploymentResource, signal: AbortSignal): Promise<void>;
  /** Its targets or approvals changed. */
  hear(): void;
  /** Shows the final state. */
  finish(deployment: DeploymentResource, signal: AbortSignal): Promise<void>;
  /** Stops all output, whatever happened. */
  end(): void;
}

export interface Telling {
  readonly api: ApiClient;
  readonly io: Io;
  readonly clock: Clock;
  readonly limit: number;
  readonly allTargets: boolean;
}

/** Redraws on a terminal; elsewhere prints a line for each change. */
export function tellerFor(telling: Telling, format: 'table' | DataFormat): RolloutTeller {
  if (format !== 'table') return new DataTeller(telling.io, format);
  return telling.io.outIsTerminal ? new PictureTeller(telling) : new LineTeller(telling);
}

/** At most a tenth of the time is spent on reading the targets of a large fleet. */
const REST_SHARE = 9;
const LEAST_REST_MS = 1_000;

class PictureTeller implements RolloutTeller {
  readonly #telling: Telling;
  readonly #screen: LiveScreen;
  #surroundings: Omit<RolloutPicture, 'deployment'> = { targets: [], approvals: [], children: [] };
  #isStale = true;
  #readAgain = 0;

  constructor(telling: Telling) {
    this.#telling = telling;
    this.#screen = new LiveScreen(telling.io);
  }

  async tell(deployment: DeploymentResource, signal: AbortSignal): Promise<void> {
    const { clock, io } = this.#telling;
    if (this.#isStale && clock.now() >= this.#readAgain) await this.#read(deployment, signal);
    const drawing = { ...this.#drawing(), limit: this.#rows(io) };
    this.#screen.draw(renderRollout({ deployment, ...this.#surroundings }, drawing));
  }

  hear(): void {
    this.#isStale = true;
  }

  /** The screen may have left lines out, and its data may be slightly old. */
  async finish(deployment: DeploymentResource, signal: AbortSignal): Promise<void> {
    await this.#read(deployment, signal);
    this.#screen.draw([]);
    this.#screen.end();
    this.#telling.io.out(`${renderRollout({ deployment, ...this.#surroundings }, this.#drawing()).join('\n')}\n`);
  }

  end(): void {
    this.#screen.end();
  }

  async #read(deployment: DeploymentResource, signal: AbortSignal): Promise<void> {
    const { api, clock } = this.#telling;
    this.#isStale = false;
    const start = clock.now();
    try {
      this.#surroundings = await readSurroundings(api, deployment, signal);
    } catch (error) {
      // The event follower reports that the platform is unreachable; meanwhile the last state stays on the screen.
      if (!(error instanceof FleetError && error.entry.retry === 'later')) throw error;
      this.#isStale = true;
    }
    const end = clock.now();
    this.#readAgain = end + Math.max(LEAST_REST_MS, REST_SHARE * (end - start));
  }

  #rows(io: Io): number {
    return Math.min(this.#telling.limit, Math.max(1, (io.size?.().rows ?? 24) / 2));
  }

  #drawing(): Drawing {
    const { io, clock, limit, allTargets } = this.#telling;
    return { now: clock.now(), paint: paintFor(io), limit, allTargets };
  }
}

class LineTeller implements RolloutTeller {
  readonly #telling: Telling;
  #before: DeploymentResource | undefined;

  constructor(telling: Telling) {
    this.#telling = telling;
  }

  async tell(deployment: DeploymentResource): Promise<void> {
    const { io, clock } = this.#telling;
    const now = clock.now();
    const lines = tellChanges(this.#before, deployment, now);
    this.#before = deployment;
    if (lines.length > 0) io.out(lines.map((line) => `${renderTime(new Date(now).toISOString())} ${line}\n`).join(''));
  }

  hear(): void {}

  /** A log ends with the final state and the targets that are not done. */
  async finish(deployment: DeploymentResource, signal: AbortSignal): Promise<void> {
    const { api, io, clock, limit, allTargets } = this.#telling;
    const picture = { deployment, ...(await readSurroundings(api, deployment, signal)) };
    const drawing = { now: clock.now(), paint: plain, limit, allTargets };
    io.out(`\n${renderRollout(picture, drawing).join('\n')}\n`);
  }

  end(): void {}
}

/** Each state of the deployment as in the API; in JSON, one per line. */
class DataTeller implements RolloutTeller {
  readonly #io: Io;
  readonly #format: DataFormat;
  #etag: string | undefined;

  constructor(io: Io, format: DataFormat) {
    this.#io = io;
    this.#format = format;
  }

  async tell(deployment: DeploymentResource): Promise<void> {
    if (deployment.etag === this.#etag) return;
    this.#etag = deployment.etag;
    this.#io.out(this.#format === 'json' ? `${JSON.stringify(deployment)}\n` : `---\n${stringify(deployment)}`);
  }

  hear(): void {}

  async finish(): Promise<void> {}

  end(): void {}
}
