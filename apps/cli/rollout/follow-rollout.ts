import { Value } from 'typebox/value';
import { Notifier, type Random, type Sleep } from '#kit/std';
import { DEPLOYMENT_EVENTS, type DeploymentResource, DeploymentSchema } from '#protocol/api';
import type { ApiClient } from '../client/api-client.ts';
import { ClientError } from '../client/client-error.ts';
import type { ServerEvent } from '../client/server-events.ts';
import { EXIT, type ExitCode, type Io } from '../command.ts';
import { printable } from '../output/printable.ts';
import { followEvents } from '../watch/follow-events.ts';
import { type DeploymentAddress, readDeployment, subjectOf } from './read-rollout.ts';
import type { RolloutTeller } from './rollout-teller.ts';
import { rolloutVerdict } from './rollout-verdict.ts';

export interface FollowedRollout {
  readonly api: ApiClient;
  readonly address: DeploymentAddress;
  /** The generation whose rollout to follow; defaults to the latest. */
  readonly generation?: number;
  /** Whether to stop at an approval gate or a pause, which only a person ends. */
  readonly endsWhenStopped: boolean;
  readonly io: Pick<Io, 'err'>;
  readonly teller: RolloutTeller;
  readonly sleep: Sleep;
  readonly random: Random;
}

/** Without `created`: a deployment that is followed exists already. */
const ROLLOUT_EVENTS = DEPLOYMENT_EVENTS.filter((type) => type !== 'deployment.created');
/** For the ages in the output. */
const TICK_MS = 1_000;
/** At most ten redraws a second; more cannot be seen. */
const FRAME_MS = 100;

/** Reports the progress of a rollout until it is over, and returns the exit code. */
export async function followRollout(followed: FollowedRollout, signal: AbortSignal): Promise<ExitCode> {
  const over = new AbortController();
  const within = AbortSignal.any([signal, over.signal]);
  const seen = new SeenDeployment(followed);
  const hearing = followEvents(
    {
      ...followed,
      types: ROLLOUT_EVENTS,
      begin: (each) => seen.read(each),
      take: (event, each) => seen.take(event, each),
      note: (text) => followed.io.err(text),
    },
    within,
  );
  const telling = tellUntilOver(followed, seen, within);
  try {
    return await Promise.race([hearing, telling]);
  } finally {
    over.abort();
    await Promise.allSettled([hearing, telling]);
    followed.teller.end();
  }
}

async function tellUntilOver(followed: FollowedRollout, seen: SeenDeployment, signal: AbortSignal): Promise<ExitCode> {
  const { teller, io, generation, endsWhenStopped } = followed;
  for (;;) {
    await seen.wake.wait(TICK_MS, signal);
    if (seen.isGone) {
      teller.end();
      io.err(`${followed.address.name} was deleted\n`);
      return EXIT.ok;
    }
    const { deployment } = seen;
    if (deployment === undefined) continue;
    await teller.tell(deployment, signal);
    const verdict = rolloutVerdict(deployment, generation);
    if (verdict.kind === 'goesOn' || (verdict.kind === 'stopped' && !endsWhenStopped)) {
      await followed.sleep(FRAME_MS, signal);
      continue;
    }
    await teller.finish(deployment, signal);
    const { code } = verdict;
    if (code !== EXIT.ok) io.err(`${printable(verdict.message)}\n`);
    return code;
  }
}

/** The last known state of the deployment. */
class SeenDeployment {
  readonly wake: Notifier;
  readonly #followed: FollowedRollout;
  readonly #subject: string;
  deployment: DeploymentResource | undefined;
  isGone = false;

  constructor(followed: FollowedRollout) {
    this.#followed = followed;
    this.#subject = subjectOf(followed.address);
    this.wake = new Notifier(followed.sleep);
  }

  async read(signal: AbortSignal): Promise<void> {
    const { api, address } = this.#followed;
    try {
      this.#put(await readDeployment(api, address, signal));
    } catch (error) {
      const isMissing = error instanceof ClientError && error.code === 'NOT_FOUND';
      // A deployment that existed before was deleted; one that never existed is a typo in the name.
      if (!isMissing || this.deployment === undefined) throw error;
      this.isGone = true;
      this.wake.notify();
    }
  }

  async take({ type, data }: ServerEvent, signal: AbortSignal): Promise<void> {
    const { subject, data: item } = (data ?? {}) as { readonly subject?: unknown; readonly data?: unknown };
    if (subject !== this.#subject) return;
    this.#followed.teller.hear();
    if (type === 'deployment.deleted') {
      this.isGone = true;
      this.wake.notify();
      return;
    }
    const whole = this.#wholeOf(item);
    if (whole !== undefined) this.#put(whole);
    // An event about another resource or of another version. The teller reads deliveries and approvals itself.
    else if (type?.startsWith('deployment.') || type?.startsWith('rollout.')) await this.read(signal);
    else this.wake.notify();
  }

  /** Events leave out the spec, unless it may have changed. */
  #wholeOf(said: unknown): DeploymentResource | undefined {
    if (Value.Check(DeploymentSchema, said)) return said;
    const some = (said ?? {}) as { readonly generation?: unknown };
    const whole = { ...this.deployment, ...some };
    const isSame = some.generation === this.deployment?.generation;
    return isSame && Value.Check(DeploymentSchema, whole) ? whole : undefined;
  }

  /** The list is read after the stream has started, so the first events may be older than the list. */
  #put(deployment: DeploymentResource): void {
    const isOlder = this.deployment !== undefined && deployment.updateTime < this.deployment.updateTime;
    if (!isOlder) this.deployment = deployment;
    this.wake.notify();
  }
}
