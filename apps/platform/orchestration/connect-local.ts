import type { LocalAgent } from '#contexts/orchestration';
import type { Runnable } from '#kit/reconcile';
import { retry, sleep } from '#kit/std';
import type { Logger } from '#kit/telemetry';
import type { Duty } from '../delivery/duty.ts';

export interface ConnectLocalDeps {
  readonly local: Pick<LocalAgent, 'connect'>;
  readonly duty: Duty;
  readonly log: Logger;
}

/** The platform as a target reports its inventory as soon as its process becomes active, like every agent. */
export function connectLocal({ local, duty, log }: ConnectLocalDeps): Runnable {
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
  const run = async (stop: AbortSignal): Promise<never> => {
    for (let term = 0; ; ) {
      term = await duty.begun(term, stop);
      await retry((signal) => local.connect(signal), again, stop);
    }
  };
  return { name: 'the platform as a target', run };
}
