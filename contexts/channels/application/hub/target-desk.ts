import { type Clock, unlessAborted } from '#kit/std';
import type { ControlReply, TargetClaim, TargetRefusal } from '../../domain/control-message.ts';
import { type StandingClaim, speakerOf } from '../../domain/takeover.ts';
import type { FleetletSession } from './fleetlet-session.ts';
import type { Binding, FleetletDirectory, HubFact, Presence, ServedTarget } from './ports.ts';
import type { PresenceBatches } from './presence-batches.ts';

export interface TargetDeskDeps {
  readonly directory: Pick<FleetletDirectory, 'bind' | 'describe'>;
  readonly presence: Presence;
  readonly batches: PresenceBatches;
  readonly clock: Clock;
  readonly maxTargets: number;
  readonly tell: (session: FleetletSession, reply: ControlReply) => void;
  /** The session serves the target from now on, or again. */
  readonly onServed: (session: FleetletSession, target: string) => void;
  /** The target is no longer reachable through this session. */
  readonly onLost: (session: FleetletSession, target: string) => void;
  readonly onFact: (fact: HubFact) => void;
}

interface Claim extends StandingClaim {
  readonly owner: FleetletSession;
  readonly said: TargetClaim;
}

interface TargetState {
  readonly target: ServedTarget;
  readonly claims: Map<FleetletSession, Claim>;
  speaker: FleetletSession | undefined;
  /** The session was disconnected when it became the speaker, and has to be told so when it is back. */
  isOwed: boolean;
  /** The pending or completed announcement that the target is online; `undefined` while it is offline. */
  coming: { isOnline: boolean; readonly told: Promise<void> } | undefined;
}

/** `waiting`: the session may be allowed to serve the target in a moment. */
type Standing = 'online' | 'waiting' | 'refused';

/** Decides which session serves which target, and notifies the sessions. */
export class TargetDesk {
  readonly #deps: TargetDeskDeps;
  readonly #states = new Map<string, TargetState>();
  #count = 0;

  constructor(deps: TargetDeskDeps) {
    this.#deps = deps;
  }

  get size(): number {
    return [...this.#states.values()].filter(({ coming }) => coming?.isOnline).length;
  }

  /** Resolves once messages can be sent to the target. */
  async register(session: FleetletSession, said: TargetClaim, signal: AbortSignal): Promise<Binding> {
    const binding = await this.#deps.directory.bind(session.fleetlet, said, signal);
    if (binding.kind === 'refused') {
      // It may have been bound until now, and its cluster has become another one.
      const before = this.#of(session).find(({ claims }) => claims.get(session)?.said.name === said.name);
      if (before !== undefined) this.deregister(session, before.target.uid);
      return binding;
    }
    const { target } = binding;
    const { maxTargets } = this.#deps;
    if (!session.claims.has(target.uid) && session.claims.size >= maxTargets) {
      return refused('unavailable', `a fleetlet serves at most ${maxTargets} targets`);
    }
    const state = this.#claim(session, target, said);
    if (state.speaker !== session) return refused('served', 'a closer or newer process serves the target');
    return await this.#serve(state, session, signal);
  }

  deregister(session: FleetletSession, uid: string): void {
    const state = this.#states.get(uid);
    if (state === undefined || !state.claims.has(session)) return;
    this.#withdraw(state, session);
    session.letGo.add(uid);
  }

  /** The control stream is back: the session serves its targets again. */
  resumed(session: FleetletSession): void {
    for (const state of this.#of(session)) {
      if (state.speaker !== session) continue;
      if (state.isOwed) this.#promote(state, session);
      else state.coming ??= this.#bring(state, session);
    }
  }

  /** Its claims stay; see `speakerOf`. */
  cut(session: FleetletSession): void {
    for (const state of this.#of(session)) if (state.speaker === session) this.#lose(state, session);
  }

  forget(session: FleetletSession): void {
    for (const state of this.#of(session)) this.#withdraw(state, session);
  }

  nameOf(uid: string): string | undefined {
    return this.#states.get(uid)?.target.name;
  }

  speaker(uid: string): FleetletSession | undefined {
    const state = this.#states.get(uid);
    return state?.coming?.isOnline ? state.speaker : undefined;
  }

  standing(session: FleetletSession, uid: string): Standing {
    const state = this.#states.get(uid);
    if (state === undefined || !state.claims.has(session)) return session.letGo.has(uid) ? 'refused' : 'waiting';
    if (state.speaker !== session) return 'refused';
    return state.coming?.isOnline ? 'online' : 'waiting';
  }

  targetsOf(session: FleetletSession): ServedTarget[] {
    return this.#of(session).flatMap(({ speaker, target }) => (speaker === session ? [target] : []));
  }

  #of(session: FleetletSession): TargetState[] {
    return [...session.claims].flatMap((uid) => this.#states.get(uid) ?? []);
  }

  #claim(session: FleetletSession, target: ServedTarget, said: TargetClaim): TargetState {
    const { uid } = target;
    const state = this.#states.get(uid) ?? newState(target);
    this.#states.set(uid, state);
    const since = state.claims.get(session)?.since ?? ++this.#count;
    state.claims.set(session, { session: session.key, serving: said.serving, since, owner: session, said });
    session.claims.add(uid);
    session.letGo.delete(uid);
    this.#choose(state);
    return state;
  }

  #withdraw(state: TargetState, session: FleetletSession): void {
    const { uid } = state.target;
    state.claims.delete(session);
    session.claims.delete(uid);
    const next = this.#choose(state);
    if (state.claims.size === 0) this.#states.delete(uid);
    if (next?.isLive) this.#promote(state, next);
    else if (next !== undefined) state.isOwed = true;
  }

  /** Returns the new speaker, if it changed. */
  #choose(state: TargetState): FleetletSession | undefined {
    const { speaker: before, target } = state;
    const next = speakerOf(state.claims.values())?.owner;
    if (next === before) return undefined;
    if (before !== undefined) this.#lose(state, before);
    state.speaker = next;
    state.isOwed = false;
    if (before !== undefined && next !== undefined && state.claims.has(before)) this.#supersede(target, before, next);
    return next;
  }

  #supersede(target: ServedTarget, before: FleetletSession, by: FleetletSession): void {
    const message = `fleetlet ${by.fleetlet}, which is closer or newer, serves target ${target.name} now`;
    this.#deps.tell(before, { request: 0, kind: 'targetSuperseded', target: target.uid, message });
    this.#deps.onFact({ kind: 'superseded', target, fleetlet: before.fleetlet, by: by.fleetlet });
  }

  #lose(state: TargetState, session: FleetletSession): void {
    if (state.coming === undefined) return;
    state.coming = undefined;
    this.#deps.batches.went(state.target, this.#deps.clock.now());
    this.#deps.onLost(session, state.target.uid);
  }

  async #serve(state: TargetState, session: FleetletSession, signal: AbortSignal): Promise<Binding> {
    const said = state.claims.get(session)?.said;
    const fault = said && (await this.#deps.directory.describe(state.target, said, signal));
    if (fault !== undefined) {
      this.deregister(session, state.target.uid);
      return refused('invalid', fault);
    }
    // The session may have disconnected meanwhile, or been superseded.
    if (!session.isLive || state.speaker !== session)
      return refused('unavailable', 'the session was disconnected or superseded');
    state.coming ??= this.#bring(state, session);
    await unlessAborted(state.coming.told, signal);
    return { kind: 'bound', target: state.target };
  }

  #bring(state: TargetState, session: FleetletSession): NonNullable<TargetState['coming']> {
    const { batches, presence, clock, onServed, onFact } = this.#deps;
    const { target } = state;
    const told = batches.came(target, clock.now()).then(() => {
      if (state.coming !== coming) return;
      coming.isOnline = true;
      presence.reachable(target, true);
      onFact({ kind: 'served', target, fleetlet: session.fleetlet });
      onServed(session, target.uid);
    });
    const coming = { isOnline: false, told };
    // A change that could not be saved is retried by the next registration.
    told.catch(() => {
      if (state.coming === coming) state.coming = undefined;
    });
    return coming;
  }

  /** The session was standing by; it serves the target from now on and is told so. */
  #promote(state: TargetState, session: FleetletSession): void {
    const { tell, onFact } = this.#deps;
    const { uid: target } = state.target;
    // Under the name that it was claimed by: an alias has another one than the target.
    const name = state.claims.get(session)?.said.name ?? state.target.name;
    state.isOwed = false;
    this.#serve(state, session, AbortSignal.timeout(SERVE_MS)).then(
      ({ kind }) => {
        if (kind === 'bound') tell(session, { request: 0, kind: 'targetAccepted', target, name });
        else state.isOwed = state.speaker === session;
      },
      (error: unknown) => onFact({ kind: 'trouble', what: `serve target ${name}`, fleetlet: session.fleetlet, error }),
    );
  }
}

const SERVE_MS = 30_000;

function newState(target: ServedTarget): TargetState {
  return { target, claims: new Map(), speaker: undefined, isOwed: false, coming: undefined };
}

function refused(reason: TargetRefusal, message: string): Binding {
  return { kind: 'refused', reason, message };
}
