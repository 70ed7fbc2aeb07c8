import type { ControlReply, ControlRequest, OpenStream, TargetClaim } from '../../domain/control-message.ts';
import type { LocalSession } from './local-session.ts';
import { StandingBy } from './standing-by.ts';

export interface TargetRegistryDeps {
  /** Sends to the platform. Delivery is guaranteed, but may take a while. */
  readonly ask: (request: ControlRequest) => void;
  readonly tell: (session: LocalSession, reply: ControlReply) => void;
  /** The process did not return in time, and a replica replaces it. */
  readonly giveUp: (session: LocalSession) => void;
  /** The uid of the target is known now: messages that waited for it can go on. */
  readonly known: (target: string) => void;
  readonly gone: (target: string) => void;
  /** The process that would have to open the stream is not connected. */
  readonly refuseStream: (wanted: OpenStream) => void;
}

interface Entry {
  readonly name: string;
  readonly owner: string;
  claim: TargetClaim;
  /** Set once the platform has assigned it. */
  uid: string | undefined;
  /** The replicas of the process, in order of arrival. */
  readonly sessions: Set<LocalSession>;
  /** The sessions that wait for an answer, with their request ids. */
  readonly asked: Map<LocalSession, number>;
  /** The platform could not decide; the registration is retried. */
  isInDoubt: boolean;
}

/** More than the platform has pending at once. */
const MOST_WANTED = 1_000;

/**
 * The targets that local processes serve. The fleetlet registers them at the platform in its own name, again after every
 * disconnect; processes are notified only when the answer has changed.
 */
export class TargetRegistry {
  readonly #deps: TargetRegistryDeps;
  readonly #byName = new Map<string, Entry>();
  readonly #byUid = new Map<string, Entry>();
  readonly #standingBy = new StandingBy();
  /** Requests that are forwarded unchanged. */
  readonly #passedOn = new Map<number, { readonly session: LocalSession; readonly request: number }>();
  /** Streams that processes were asked to open and have not opened yet, by stream. */
  readonly #wanted = new Map<string, { readonly session: LocalSession; readonly wanted: OpenStream }>();
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

  /** The first attached replica of the process that serves the target. */
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
        // Only the fleetlet itself announces its addresses.
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
      case 'openStream':
        return this.#openStream(message);
      case 'dataRoute': {
        const asked = this.#passedOn.get(message.request);
        this.#passedOn.delete(message.request);
        return asked && this.#deps.tell(asked.session, { ...message, request: asked.request });
      }
      case 'welcome':
      case 'renewCertificate':
      case 'replicaList':
        return;
    }
  }

  /** The platform was away and may have forgotten the registrations. */
  registerAgain(): void {
    for (const entry of this.#byName.values()) this.#ask(entry, 'registerTarget');
  }

  /** Retries the registrations that the platform could not decide. */
  retry(): void {
    for (const entry of this.#byName.values()) if (entry.isInDoubt) this.#ask(entry, 'registerTarget');
  }

  /** The process has opened the stream. */
  calledBack(stream: string): void {
    this.#wanted.delete(stream);
  }

  /** The process cannot open what it was asked for. The platform is told, instead of waiting until its deadline. */
  sessionAway(session: LocalSession): void {
    for (const [stream, asked] of this.#wanted) {
      if (asked.session !== session) continue;
      this.#wanted.delete(stream);
      this.#deps.refuseStream(asked.wanted);
    }
  }

  sessionGone(session: LocalSession): void {
    for (const [request, asked] of this.#passedOn) if (asked.session === session) this.#passedOn.delete(request);
    this.#standingBy.drop(session);
    for (const entry of this.#byName.values()) {
      if (entry.sessions.has(session)) this.#leave(entry, session);
    }
  }

  #openStream(wanted: ControlReply & { readonly kind: 'openStream' }): void {
    const session = this.speakerOf(wanted.target);
    if (session === undefined) return this.#deps.refuseStream(wanted);
    // A process that never opens any is no reason to remember all: the platform gives each up at its deadline.
    const [oldest] = this.#wanted.keys();
    if (this.#wanted.size >= MOST_WANTED && oldest !== undefined) this.#wanted.delete(oldest);
    this.#wanted.set(wanted.stream, { session, wanted });
    this.#deps.tell(session, wanted);
  }

  #register(session: LocalSession, claim: TargetClaim, request: number): void {
    const known = this.#byName.get(claim.name);
    if (known !== undefined && known.owner !== session.name) {
      const message = `${known.owner} serves the target ${claim.name} here`;
      this.#standingBy.add(session, claim);
      return this.#deps.tell(session, { request, kind: 'targetRefused', name: claim.name, reason: 'served', message });
    }
    this.#standingBy.drop(session, claim.name);
    const entry = known ?? this.#newEntry([session], claim);
    const isRestarted = !entry.sessions.has(session) && this.#hasNoneAttached(entry);
    entry.sessions.add(session);
    // The process was restarted: the predecessor's unacknowledged messages need not wait until it counts as gone.
    for (const other of entry.sessions) if (!other.isAttached) this.#deps.giveUp(other);
    if (entry.uid !== undefined && sameClaim(entry.claim, claim)) {
      const { uid: target, name } = entry;
      this.#deps.tell(session, { request, kind: 'targetAccepted', target, name });
      // The platform has not noticed, so it does not ask for what the predecessor could not report any more.
      if (isRestarted) this.#deps.tell(session, { request: 0, kind: 'syncNow', targets: [target] });
      return;
    }
    entry.claim = claim;
    entry.asked.set(session, request);
    this.#ask(entry, entry.uid === undefined ? 'registerTarget' : 'updateTarget');
  }

  #hasNoneAttached({ sessions }: Entry): boolean {
    return [...sessions].every(({ isAttached }) => !isAttached);
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
    // Only its owner deregisters a target. To any other process it looks as if the target did not exist.
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

  /** Lets in the process that stands by for the target, now that no local process serves it. */
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
      // The process left before the answer arrived.
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
      // Notify only the sessions that asked, or all when the uid has changed.
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
      // A process let in from standby was refused before and has not asked again: it needs no notification.
      if (request !== undefined || entry.uid !== undefined) {
        this.#deps.tell(session, { ...message, request: request ?? 0 });
      }
      // The platform remembers the claim too, and accepts it when the other process is gone permanently.
      if (message.reason === 'served') this.#standingBy.add(session, entry.claim);
    }
    this.#forget(entry);
  }

  /** Another process serves the target now. The fleetlet does not register it again by itself, or the two would alternate. */
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
