import { type LocalPrincipal, principalName } from '../../domain/channel-acl.ts';
import type { CloseFrame } from '../../domain/frame.ts';
import type { LinkedChannel, Outbound } from '../channel.ts';

/** One channel of one local process, over all its streams. */
export interface LocalEnd {
  /** Among all ends of all processes, as they came. */
  readonly order: number;
  readonly session: LocalSession;
  readonly channel: string;
  /** Empty when messages name theirs. */
  readonly target: string;
  /** One for each shard. */
  readonly parts: readonly LinkedChannel[];
  /** Of the streams that are there now. */
  readonly attached: Set<LinkedChannel>;
  /** Sends on the shard of the message's key. */
  trySend(message: Outbound): boolean;
  room(signal: AbortSignal): Promise<void>;
}

/** A local process, for as long as it lives; that is longer than any of its connections. */
export class LocalSession {
  readonly principal: LocalPrincipal;
  /** What it is called in messages and in logs. */
  readonly name: string;
  readonly id: string;
  readonly ends = new Map<string, LocalEnd>();
  /** Since when none of its streams is there; `undefined` while one is. */
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
