import { FleetletSession, type FleetletSessionDeps } from './fleetlet-session.ts';

export interface SessionTableDeps extends FleetletSessionDeps {
  /** How long a disconnected session is remembered. */
  readonly memoryMs: number;
  /** How many disconnected sessions are remembered; the oldest are dropped first. */
  readonly maxCut: number;
}

const MOST_PREDECESSORS = 8;

export type Found =
  | { readonly kind: 'session'; readonly session: FleetletSession; readonly replaced?: FleetletSession }
  /** A later process of the same fleetlet is connected. */
  | { readonly kind: 'superseded' };

/** One session for each fleetlet: that of its latest process. */
export class SessionTable {
  readonly #deps: SessionTableDeps;
  readonly #sessions = new Map<string, FleetletSession>();

  constructor(deps: SessionTableDeps) {
    this.#deps = deps;
  }

  /**
   * The session of a stream. A new process replaces the previous one. A replaced session does not return while its successor is
   * connected: two processes started by mistake must not fight.
   */
  find(fleetlet: string, id: string): Found {
    const current = this.#sessions.get(fleetlet);
    if (current?.id === id) return { kind: 'session', session: current };
    if (current?.isLive && current.predecessors.includes(id)) return { kind: 'superseded' };
    const predecessors = current === undefined ? [] : [current.id, ...current.predecessors].slice(0, MOST_PREDECESSORS);
    const session = new FleetletSession(fleetlet, { id, predecessors }, this.#deps);
    this.#sessions.set(fleetlet, session);
    return { kind: 'session', session, ...(current === undefined ? {} : { replaced: current }) };
  }

  of(fleetlet: string): FleetletSession | undefined {
    return this.#sessions.get(fleetlet);
  }

  all(): FleetletSession[] {
    return [...this.#sessions.values()];
  }

  forget(session: FleetletSession): void {
    if (this.#sessions.get(session.fleetlet) === session) this.#sessions.delete(session.fleetlet);
  }

  /** Forgets and returns the sessions that were disconnected for too long or exceed the limit. */
  sweep(now: number): FleetletSession[] {
    const { memoryMs, maxCut } = this.#deps;
    const cut = this.all().flatMap((session) => (session.cutAt === undefined ? [] : [{ session, at: session.cutAt }]));
    cut.sort((a, b) => b.at - a.at);
    const over = cut.filter(({ at }, index) => index >= maxCut || now - at >= memoryMs).map(({ session }) => session);
    for (const session of over) this.forget(session);
    return over;
  }
}
