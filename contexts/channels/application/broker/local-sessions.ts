import type { Clock } from '#kit/std';
import { type LocalPrincipal, principalName } from '../../domain/channel-acl.ts';
import type { CloseFrame, CloseReason, OpenFrame } from '../../domain/frame.ts';
import type { ChannelHandlers, Inbound, LinkedChannel, LinkedChannelOptions } from '../channel.ts';
import { createReliableChannel } from '../reliable-channel.ts';
import { createShardedChannel } from '../sharded-channel.ts';
import { endKey, type LocalEnd, LocalSession } from './local-session.ts';

export interface LocalSessionsDeps {
  readonly clock: Clock;
  readonly newId: () => string;
  readonly sha256: LinkedChannelOptions['sha256'];
  readonly window: LinkedChannelOptions['window'];
  readonly buffer: LinkedChannelOptions['buffer'];
  /** A process that has lost all its connections is given up after this. */
  readonly goneAfterMs: number;
  readonly maxSessions: number;
  readonly maxChannelsPerSession: number;
  readonly maxShards: number;
  readonly message: (message: Inbound, end: LocalEnd) => void;
  /** The process has lost its last stream. It may come back. */
  readonly away: (session: LocalSession) => void;
  /** The process was given up, or has left. Its unacknowledged messages were returned before. */
  readonly gone: (session: LocalSession) => void;
  /** The process has left one channel. Its unacknowledged messages were returned before. */
  readonly left: (channel: string) => void;
}

export type LocalAdmission =
  | { readonly kind: 'refused'; readonly reason: CloseReason; readonly message: string }
  | {
      readonly kind: 'admitted';
      readonly end: LocalEnd;
      readonly part: LinkedChannel;
      readonly isNew: boolean;
    };

/** The local processes that are connected or were a moment ago, with their open channels. */
export class LocalSessions {
  readonly #deps: LocalSessionsDeps;
  readonly #sessions = new Map<string, LocalSession>();
  #order = 0;

  constructor(deps: LocalSessionsDeps) {
    this.#deps = deps;
  }

  get size(): number {
    return this.#sessions.size;
  }

  [Symbol.iterator](): Iterator<LocalSession> {
    return this.#sessions.values();
  }

  /** A process that reconnects gets its existing session and channels. */
  admit(principal: LocalPrincipal, open: OpenFrame): LocalAdmission {
    const { maxSessions, maxChannelsPerSession, maxShards } = this.#deps;
    const shards = Math.max(1, open.shards);
    if (shards > maxShards) return tooMany(`a channel has at most ${maxShards} shards`);
    if (open.shard >= shards) return { kind: 'refused', reason: 'malformed', message: 'there is no such shard' };
    const id = `${principalName(principal)} ${open.session}`;
    const session = this.#sessions.get(id) ?? new LocalSession(principal, id);
    if (!this.#sessions.has(id) && this.#sessions.size >= maxSessions) {
      return tooMany(`${maxSessions} local processes are connected already`);
    }
    const known = session.end(open.channel, open.target);
    if (known === undefined && session.ends.size >= maxChannelsPerSession) {
      return tooMany(`${session.name} has ${maxChannelsPerSession} channels open already`);
    }
    const end = known ?? this.#newEnd(session, open, shards);
    const part = end.parts[open.shard];
    if (part === undefined || end.parts.length !== shards) {
      return { kind: 'refused', reason: 'malformed', message: `the channel has ${end.parts.length} shards` };
    }
    this.#sessions.set(id, session);
    session.ends.set(endKey(open.channel, open.target), end);
    end.attached.add(part);
    session.goneSince = undefined;
    return { kind: 'admitted', end, part, isNew: known === undefined };
  }

  /** A stream has ended. A process that closed it with `done` does not return to it. */
  detached(end: LocalEnd, part: LinkedChannel, why: Omit<CloseFrame, 'kind'> | undefined): void {
    const { session } = end;
    end.attached.delete(part);
    if (why?.reason === 'done' && end.attached.size === 0) this.#drop(end, why);
    const isAttached = [...session.ends.values()].some(({ attached }) => attached.size > 0);
    if (isAttached || session.goneSince !== undefined) return;
    session.goneSince = this.#deps.clock.now();
    this.#deps.away(session);
    if (session.ends.size === 0) this.giveUp(session);
  }

  /** Gives up the processes that have been away for too long. */
  sweep(): void {
    const before = this.#deps.clock.now() - this.#deps.goneAfterMs;
    for (const session of this.#sessions.values()) {
      if (session.goneSince !== undefined && session.goneSince <= before) this.giveUp(session);
    }
  }

  giveUp(session: LocalSession): void {
    if (!this.#sessions.delete(session.id)) return;
    session.close({ reason: 'done', message: 'the process is gone', retryAfterMs: 0 });
    this.#deps.gone(session);
  }

  ends(channel: string): LocalEnd[] {
    const found: LocalEnd[] = [];
    for (const { ends } of this.#sessions.values()) {
      for (const end of ends.values()) if (end.channel === channel) found.push(end);
    }
    return found;
  }

  /** Closes the channel for all processes. */
  closeChannel(channel: string, why: Omit<CloseFrame, 'kind'>): void {
    for (const end of this.ends(channel)) this.#drop(end, why);
  }

  closeAll(why: Omit<CloseFrame, 'kind'>): void {
    const all = [...this.#sessions.values()];
    this.#sessions.clear();
    for (const session of all) session.close(why);
  }

  #drop({ session, channel, target, parts }: LocalEnd, why: Omit<CloseFrame, 'kind'>): void {
    session.ends.delete(endKey(channel, target));
    for (const part of parts) part.close(why);
    this.#deps.left(channel);
  }

  #newEnd(session: LocalSession, { channel, target, mode }: OpenFrame, shards: number): LocalEnd {
    const { clock, newId, sha256, window, buffer } = this.#deps;
    const handlers: ChannelHandlers = { message: (message) => this.#deps.message(message, end) };
    const options: LinkedChannelOptions = {
      name: channel,
      mode: mode === 'lossy' ? 'lossy' : 'reliable',
      handlers,
      window,
      buffer,
      newIncarnation: newId,
      now: () => clock.now(),
      sha256,
    };
    const parts = Array.from({ length: shards }, () => createReliableChannel(options));
    const whole = createShardedChannel(parts);
    const end: LocalEnd = {
      order: ++this.#order,
      session,
      channel,
      target,
      parts,
      attached: new Set(),
      trySend: (message) => whole.trySend(message),
      room: (signal) => whole.room(signal),
    };
    return end;
  }
}

function tooMany(message: string): LocalAdmission {
  return { kind: 'refused', reason: 'tooMany', message };
}
