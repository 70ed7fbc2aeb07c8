import type { LocalAgent } from '#contexts/orchestration';
import type { Runnable } from '#kit/reconcile';
import { aborted, retry, sleep } from '#kit/std';
import type { Logger } from '#kit/telemetry';
import { EXECUTOR, type Leadership } from '../leadership/leadership.ts';

export interface ConnectLocalDeps {
  readonly local: Pick<LocalAgent, 'connect'>;
  readonly leadership: Pick<Leadership, 'whileLeading'>;
  readonly log: Logger;
}

/** The platform as a target reports its inventory as soon as its replica executes, like every agent. */
export function connectLocal({ local, leadership, log }: ConnectLocalDeps): Runnable {
  const again = {
    what: 'connect the platform as a target',
    policy: { baseMs: 200, capMs: 10_000 },
    attempts: Number.POSITIVE_INFINITY,
    sleep,
    isRetryable: (err: unknown): boolean => {
      log.warn({ err }, 'inventory of the platform as a target not reported; retrying');
      return true;
    },
  };
  return {
    name: 'the platform as a target',
    run: (stop) =>
      leadership.whileLeading(
        EXECUTOR,
        async (term) => {
          await retry((signal) => local.connect(signal), again, term.signal);
          await aborted(term.signal);
        },
        stop,
      ),
  };
}
