import { type LocalPrincipal, principalName } from '../../domain/channel-acl.ts';
import type { CloseFrame } from '../../domain/frame.ts';
import type { LinkedChannel, Outbound } from '../channel.ts';

/** One channel of one local process, over all its streams. */
export interface LocalEnd {
  /** Position among the ends of all processes, in the order of arrival. */
  readonly order: number;
  readonly session: LocalSession;
  readonly channel: string;
  /** Empty when each message names its own target. */
  readonly target: string;
  /** One for each shard. */
  readonly parts: readonly LinkedChannel[];
  /** The shards whose streams are open now. */
  readonly attached: Set<LinkedChannel>;
  /** Sends on the shard of the message's key. */
  trySend(message: Outbound): boolean;
  room(signal: AbortSignal): Promise<void>;
}

/** A local process for its lifetime, which is longer than any of its connections. */
export class LocalSession {
  readonly principal: LocalPrincipal;
  /** The name in messages and logs. */
  readonly name: string;
  readonly id: string;
  readonly ends = new Map<string, LocalEnd>();
  /** Since when all its streams are gone; `undefined` while one is open. */
  goneSince: number | undefined;

  constructor(principal: LocalPrincipal, id: string) {
    this.principal = principal;
    this.name = principalName(principal);
    this.id = id;
  }

  get isAttached(): boolean {
    return this.goneSince === undefined;
  }

  end(channel: string, target = ''): LocalEnd | undefined {
    return this.ends.get(endKey(channel, target));
  }

  close(why: Omit<CloseFrame, 'kind'>): void {
    const ends = [...this.ends.values()];
    this.ends.clear();
    for (const { parts } of ends) for (const part of parts) part.close(why);
  }
}

export function endKey(channel: string, target: string): string {
  return `${channel} ${target}`;
}
