import { TargetService } from '#contexts/targets';
import { targetUnitOfWork } from '#contexts/targets/adapters';
import { workspacePlaces } from '#contexts/workspaces/adapters';
import type { Runnable } from '#kit/reconcile';
import { aborted, type Clock, retry, type Sleep, uuidv7 } from '#kit/std';
import type { Term } from '#kit/storage/leases';
import type { Logger } from '#kit/telemetry';
import { EXECUTOR, type Leadership, LOST_CONNECTIONS } from '../leadership/leadership.ts';

export interface LostConnectionsDeps {
  readonly leadership: Pick<Leadership, 'lead' | 'whileLeading'>;
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
 * Connections end with the replica that holds them. The next one that takes fleetlets marks those that were not taken up
 * again as disconnected.
 */
export function lostConnections(deps: LostConnectionsDeps): Runnable {
  const { leadership, sleep, log } = deps;
  const isRetryable = (err: unknown): boolean => {
    log.warn({ err }, 'connections of an earlier process not ended; retrying');
    return true;
  };
  const end = async (term: Term): Promise<void> => {
    await sleep(GRACE_MS, term.signal);
    await retry((signal) => endAll(deps, term, signal), { ...AGAIN, sleep, isRetryable }, term.signal);
    await aborted(term.signal);
  };
  return {
    name: 'lost connections',
    run: (stop) =>
      leadership.whileLeading(EXECUTOR, ({ signal }) => leadership.lead(LOST_CONNECTIONS, end, signal), stop),
  };
}

async function endAll({ isHeld, clock }: LostConnectionsDeps, { storage }: Term, signal: AbortSignal): Promise<void> {
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
