import { TargetService } from '#contexts/targets';
import { targetUnitOfWork } from '#contexts/targets/adapters';
import { workspacePlaces } from '#contexts/workspaces/adapters';
import type { Runnable } from '#kit/reconcile';
import { type Clock, retry, type Sleep, uuidv7 } from '#kit/std';
import type { Storage } from '#kit/storage';
import type { Logger } from '#kit/telemetry';
import type { Duty } from './duty.ts';

export interface LostConnectionsDeps {
  readonly storage: Storage;
  readonly duty: Duty;
  /** Whether an agent in this process serves the target, by its uid. */
  readonly isHeld: (uid: string) => boolean;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly log: Logger;
}

/** Agents of an ended process reconnect to the next one. Until then orders are answered with offline. */
const GRACE_MS = 10_000;
const PAGE = 1_000;
const AGAIN = {
  what: 'end the connections of an earlier process',
  policy: { baseMs: 200, capMs: 10_000 },
  attempts: Number.POSITIVE_INFINITY,
};

/**
 * Connections end with the process that holds them. The process that becomes active marks those that were not taken up
 * again as disconnected; one on standby does not, since another process holds them.
 */
export function lostConnections(deps: LostConnectionsDeps): Runnable {
  const { duty, sleep, log } = deps;
  const isRetryable = (err: unknown): boolean => {
    log.warn({ err }, 'connections of an earlier process not ended; retrying');
    return true;
  };
  const run = async (stop: AbortSignal): Promise<never> => {
    for (let term = 0; ; ) {
      term = await duty.begun(term, stop);
      await sleep(GRACE_MS, stop);
      if (duty.term === term) await retry((signal) => endAll(deps, signal), { ...AGAIN, sleep, isRetryable }, stop);
    }
  };
  return { name: 'lost connections', run };
}

async function endAll({ storage, isHeld, clock }: LostConnectionsDeps, signal: AbortSignal): Promise<void> {
  // Ending connections never registers targets, so no addon types are needed.
  const service = new TargetService({ newUid: uuidv7, addonTypes: { has: async () => false } });
  let after: string | undefined;
  do {
    const command = { isHeld: ({ uid }: { uid: string }) => isHeld(uid), after, limit: PAGE, now: clock.now() };
    after = await storage.write((tx) => {
      const unit = targetUnitOfWork(tx, { newId: uuidv7, workspaces: workspacePlaces });
      return service.loseConnections(unit, command, signal);
    }, signal);
  } while (after !== undefined);
}
