import type { ControlReply, ControlRequest, OpenStream, TargetClaim } from '../../domain/control-message.ts';
import type { LocalSession } from './local-session.ts';
import { StandingBy } from './standing-by.ts';

export interface TargetRegistryDeps {
  /** To the platform; it arrives, though it may be after a while. */
  readonly ask: (request: ControlRequest) => void;
  readonly tell: (session: LocalSession, reply: ControlReply) => void;
  /** The process did not come back in time to what it had left, and another of its kind takes its place. */
  readonly giveUp: (session: LocalSession) => void;
  /** What was sent about a target whose uid was not known yet can go on. */
  readonly known: (target: string) => void;
  readonly gone: (target: string) => void;
  /** The process that would have to open it is not there. */
  readonly refuseStream: (wanted: OpenStream) => void;
}

interface Entry {
  readonly name: string;
  readonly owner: string;
  claim: TargetClaim;
  /** Once the platform has said it. */
  uid: string | undefined;
  /** The replicas of its process, as they came. */
  readonly sessions: Set<LocalSession>;
  /** Those who wait for an answer, with what they asked. */
  readonly asked: Map<LocalSession, number>;
  /** The platform could not say. */
  isInDoubt: boolean;
}

/**
 * The targets that local processes speak for. The fleetlet registers them at the platform, and again each time that it
 * has been away, in its own name; processes hear of it only when the answer is another one.
 */
export class TargetRegistry {
  readonly #deps: TargetRegistryDeps;
  readonly #byName = new Map<string, Entry>();
  readonly #byUid = new Map<string, Entry>();
  readonly #standingBy = new StandingBy();
  /** Questions that are passed on as they are. */
  readonly #passedOn = new Map<number, { readonly session: LocalSession; readonly request: number }>();
  #requests = 0;

  constructor(deps: TargetRegistryDeps) {
    this.#deps = deps;
  }

  get size(): number {
    return this.#byName.size;
  }

  ownerOf(target: string): string | undefined {
    return this.#byUid.get(target)?.owner;
  }

  /** Of the process that speaks for it: the first replica that is there. */
  speakerOf(target: string): LocalSession | undefined {
    for (const session of this.#byUid.get(target)?.sessions ?? []) if (session.isAttached) return session;
    return undefined;
  }

  request(session: LocalSession, message: ControlRequest): void {
    switch (message.kind) {
      case 'registerTarget':
      case 'updateTarget':
        return this.#register(session, message.claim, message.request);
      case 'deregisterTarget':
        return this.#deregister(session, message.target, message.request);
      case 'resolveData':
        return this.#passOn(session, message);
      case 'listening':
        // Where others reach this fleetlet is for the fleetlet to say.
        return;
    }
  }

  reply(message: ControlReply): void {
    switch (message.kind) {
      case 'targetAccepted':
        return this.#accepted(message);
      case 'targetRefused':
        return this.#refused(message);
      case 'targetSuperseded':
      case 'targetDeregistered':
        return this.#lost(message);
      case 'syncNow':
        return this.#sync(message.targets);
      case 'openStream': {
        const session = this.speakerOf(message.target);
        return session ? this.#deps.tell(session, message) : this.#deps.refuseStream(message);
      }
      case 'dataRoute': {
        const asked = this.#passedOn.get(message.request);
        this.#passedOn.delete(message.request);
        return asked && this.#deps.tell(asked.session, { ...message, request: asked.request });
      }
      case 'welcome':
      case 'renewCertificate':
        return;
    }
  }

  /** The platform was away, and may have forgotten. */
  registerAgain(): void {
    for (const entry of this.#byName.values()) this.#ask(entry, 'registerTarget');
  }

  /** Asks again what the platform could not say. */
  retry(): void {
    for (const entry of this.#byName.values()) if (entry.isInDoubt) this.#ask(entry, 'registerTarget');
  }

  sessionGone(session: LocalSession): void {
    for (const [request, asked] of this.#passedOn) if (asked.session === session) this.#passedOn.delete(request);
    this.#standingBy.drop(session);
    for (const entry of this.#byName.values()) {
      if (entry.sessions.has(session)) this.#leave(entry, session);
    }
  }

  #register(session: LocalSession, claim: TargetClaim, request: number): void {
    const known = this.#byName.get(claim.name);
    if (known !== undefined && known.owner !== session.name) {
      const message = `${known.owner} speaks for the target ${claim.name} here`;
      this.#standingBy.add(session, claim);
      return this.#deps.tell(session, { request, kind: 'targetRefused', name: claim.name, reason: 'served', message });
    }
    this.#standingBy.drop(session, claim.name);
    const entry = known ?? this.#newEntry([session], claim);
    entry.sessions.add(session);
    // It was started anew: what the one before had not acknowledged need not wait until that one counts as gone.
    for (const other of entry.sessions) if (!other.isAttached) this.#deps.giveUp(other);
    if (entry.uid !== undefined && sameClaim(entry.claim, claim)) {
      return this.#deps.tell(session, { request, kind: 'targetAccepted', target: entry.uid, name: entry.name });
    }
    entry.claim = claim;
    entry.asked.set(session, request);
    this.#ask(entry, entry.uid === undefined ? 'registerTarget' : 'updateTarget');
  }

  #newEntry(sessions: readonly [LocalSession, ...LocalSession[]], claim: TargetClaim): Entry {
    const entry: Entry = {
      name: claim.name,
      owner: sessions[0].name,
      claim,
      uid: undefined,
      sessions: new Set(sessions),
      asked: new Map(),
      isInDoubt: false,
    };
    this.#byName.set(entry.name, entry);
    return entry;
  }

  #ask(entry: Entry, kind: 'registerTarget' | 'updateTarget'): void {
    entry.isInDoubt = false;
    this.#deps.ask({ request: ++this.#requests, kind, claim: entry.claim });
  }

  #deregister(session: LocalSession, target: string, request: number): void {
    const entry = this.#byUid.get(target);
    if (entry?.sessions.has(session)) this.#leave(entry, session);
    // Nobody but its owner ends a target; for all others it is as if it were not there.
    this.#deps.tell(session, { request, kind: 'targetDeregistered', target });
  }

  #leave(entry: Entry, session: LocalSession): void {
    entry.sessions.delete(session);
    entry.asked.delete(session);
    if (entry.sessions.size > 0) return;
    this.#forget(entry);
    if (entry.uid !== undefined) {
      this.#deps.ask({ request: ++this.#requests, kind: 'deregisterTarget', target: entry.uid });
    }
    const next = this.#letIn(entry.name);
    if (next !== undefined) this.#ask(next, 'registerTarget');
  }

  /** Whoever stands by for the target, now that nobody here speaks for it. */
  #letIn(name: string): Entry | undefined {
    const next = this.#standingBy.take(name);
    return next && this.#newEntry(next.sessions, next.claim);
  }

  #forget(entry: Entry): void {
    this.#byName.delete(entry.name);
    if (entry.uid === undefined) return;
    this.#byUid.delete(entry.uid);
    this.#deps.gone(entry.uid);
  }

  #accepted({ target, name }: ControlReply & { readonly kind: 'targetAccepted' }): void {
    const entry = this.#byName.get(name) ?? this.#letIn(name);
    if (entry === undefined) {
      // Its process left before the answer came.
      return this.#deps.ask({ request: ++this.#requests, kind: 'deregisterTarget', target });
    }
    const before = entry.uid;
    if (before !== undefined && before !== target) {
      this.#byUid.delete(before);
      this.#deps.gone(before);
    }
    entry.uid = target;
    this.#byUid.set(target, entry);
    const told = { kind: 'targetAccepted', target, name } as const;
    for (const session of entry.sessions) {
      const request = entry.asked.get(session) ?? 0;
      // What it knows already it is not told again.
      if (request > 0 || before !== target) this.#deps.tell(session, { request, ...told });
    }
    entry.asked.clear();
    this.#deps.known(target);
  }

  #refused(message: ControlReply & { readonly kind: 'targetRefused' }): void {
    const entry = this.#byName.get(message.name);
    if (entry === undefined) return;
    if (message.reason === 'unavailable') {
      entry.isInDoubt = true;
      return;
    }
    for (const session of entry.sessions) {
      const request = entry.asked.get(session);
      // One that stood by was refused before, and has not asked again: that is no news.
      if (request !== undefined || entry.uid !== undefined) {
        this.#deps.tell(session, { ...message, request: request ?? 0 });
      }
      // The platform remembers it as well, and says so when the other one has gone for good.
      if (message.reason === 'served') this.#standingBy.add(session, entry.claim);
    }
    this.#forget(entry);
  }

  /** Somebody else speaks for it now. It is not registered again of our own accord, or two would take it in turns. */
  #lost(message: ControlReply & { readonly kind: 'targetSuperseded' | 'targetDeregistered' }): void {
    const entry = this.#byUid.get(message.target);
    if (entry === undefined) return;
    for (const session of entry.sessions) this.#deps.tell(session, { ...message, request: 0 });
    this.#forget(entry);
  }

  #sync(targets: readonly string[]): void {
    const bySpeaker = Map.groupBy(targets, (target) => this.speakerOf(target));
    for (const [session, theirs] of bySpeaker) {
      if (session !== undefined) this.#deps.tell(session, { request: 0, kind: 'syncNow', targets: theirs });
    }
  }

  #passOn(session: LocalSession, message: ControlRequest): void {
    const request = ++this.#requests;
    this.#passedOn.set(request, { session, request: message.request });
    this.#deps.ask({ ...message, request });
  }
}

function sameClaim(one: TargetClaim, other: TargetClaim): boolean {
  const labels = (claim: TargetClaim): string[] => Object.entries(claim.labels).flat().toSorted();
  return (
    one.type === other.type &&
    one.serving === other.serving &&
    one.properties === other.properties &&
    one.instance === other.instance &&
    one.agentVersion === other.agentVersion &&
    one.manifestTypes.join() === other.manifestTypes.join() &&
    JSON.stringify(labels(one)) === JSON.stringify(labels(other))
  );
}
