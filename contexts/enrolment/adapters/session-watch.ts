import { Notifier, type Sleep } from '#kit/std';
import { SUPERSEDED } from '../application/enrol-service.ts';
import type { LiveSessions } from '../application/fleetlet-admission.ts';
import type { ShownFleetlet } from '../application/fleetlet-service.ts';
import type { EnrolmentLog } from './enrolment-log.ts';

export interface SessionWatchDeps {
  readonly sessions: () => LiveSessions | undefined;
  readonly fleetletsByUid: (uids: readonly string[], signal: AbortSignal) => Promise<readonly ShownFleetlet[]>;
  readonly sleep: Sleep;
  readonly log: EnrolmentLog;
}

/** In case the announcement of another process was lost. */
const LOOK_MS = 30_000;

/**
 * Ends the sessions of fleetlets that were revoked, lost a target, or presented a newer certificate elsewhere,
 * whichever process recorded it.
 */
export class SessionWatch {
  readonly #deps: SessionWatchDeps;
  readonly #wake: Notifier;

  constructor(deps: SessionWatchDeps) {
    this.#deps = deps;
    this.#wake = new Notifier(deps.sleep);
  }

  /** To be called when any process changed something. */
  raise(): void {
    this.#wake.notify();
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#wake.wait(LOOK_MS, signal);
        await this.#look(signal);
      } catch (err) {
        if (signal.aborted) return;
        this.#deps.log.warn({ err }, 'check for sessions of revoked fleetlets failed; retrying');
      }
    }
  }

  async #look(signal: AbortSignal): Promise<void> {
    const live = this.#deps.sessions();
    const sessions = live?.list() ?? [];
    if (live === undefined || sessions.length === 0) return;
    const uids = [...new Set(sessions.map(({ fleetlet }) => fleetlet))];
    const found = await this.#deps.fleetletsByUid(uids, signal);
    const known = new Map(found.map((shown) => [shown.fleetlet.uid as string, shown]));
    for (const session of sessions) {
      const shown = known.get(session.fleetlet);
      if (shown?.fleetlet.state !== 'Active') live.end(session.fleetlet, REVOKED);
      else if (!session.targets.every((uid) => shown.targets.some((bound) => bound.uid === uid))) {
        live.end(session.fleetlet, REBOUND);
      } else if (session.issuedAt < (shown.fleetlet.inUse?.notBefore ?? 0)) live.end(session.fleetlet, RENEWED);
    }
  }
}

const REVOKED = {
  reason: 'revoked',
  message: 'This fleetlet was revoked. To use it again, enrol it with a new bootstrap token.',
} as const;
const RENEWED = { reason: 'superseded', message: SUPERSEDED } as const;
const REBOUND = {
  reason: 'rebound',
  message: 'This fleetlet is no longer bound to all of its targets. Reconnect and register the remaining ones.',
} as const;
