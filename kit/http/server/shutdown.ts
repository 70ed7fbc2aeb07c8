import { HttpError } from '../errors/http-error.ts';
import type { Probe } from '../ports.ts';
import type { InFlight } from './in-flight.ts';
import type { Listeners } from './listeners.ts';

interface ShutdownSteps {
  readonly listeners: Listeners;
  readonly deadlineMs: number;
  readonly release: () => Promise<void>;
}

/** The last part of the deadline, in which aborted handlers can still respond. */
const GRACE_SHARE = 0.2;
const MAX_GRACE_MS = 1000;

/** Shuts the server down: gracefully at first, and by force at the deadline. */
export class Shutdown {
  readonly #inFlight: InFlight;
  #ended: Promise<void> | undefined;

  constructor(inFlight: InFlight) {
    this.#inFlight = inFlight;
  }

  get isDraining(): boolean {
    return this.#ended !== undefined;
  }

  /** Makes load balancers stop sending requests. */
  get probe(): Probe {
    return {
      name: 'http',
      check: async () => {
        if (this.isDraining) throw shuttingDown();
        return undefined;
      },
    };
  }

  run(steps: ShutdownSteps): Promise<void> {
    this.#ended ??= this.#end(steps);
    return this.#ended;
  }

  async #end({ listeners, deadlineMs, release }: ShutdownSteps): Promise<void> {
    const graceMs = Math.min(MAX_GRACE_MS, deadlineMs * GRACE_SHARE);
    const stopped = listeners.stop();
    listeners.closeIdle();
    this.#inFlight.abort(shuttingDown(), ({ isStream }) => isStream);
    const finished = await this.#inFlight.idle(deadlineMs - graceMs);
    if (!finished) {
      this.#inFlight.abort(shuttingDown());
      await this.#inFlight.idle(graceMs);
    }
    // Idle connections may still be open: their clients do not know that the server is closing.
    listeners.closeAll();
    await stopped;
    await release();
  }
}

export function shuttingDown(): HttpError {
  return new HttpError(
    'SHUTTING_DOWN',
    'This server is shutting down. Try again; another replica, or this one after its restart, will respond.',
  );
}
