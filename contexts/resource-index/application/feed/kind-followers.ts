import { type Clock, canonicalJson } from '#kit/std';
import type { TypeState } from '../../domain/index-message.ts';
import { type IndexedKind, plain } from '../../domain/index-schema.ts';
import type { FeedLedger } from './feed-ledger.ts';
import { followKind } from './kind-follower.ts';
import type { ObjectSource } from './object-source.ts';

export interface KindFollowersDeps {
  readonly source: ObjectSource;
  readonly ledger: FeedLedger;
  readonly clock: Clock;
  readonly onState: (type: string, state: TypeState, message: string) => void;
  readonly onTrouble: (type: string, error: unknown) => void;
}

interface Follower {
  readonly kind: IndexedKind;
  readonly stop: AbortController;
  readonly done: Promise<void>;
}

export interface KindState {
  readonly state: TypeState;
  readonly message: string;
}

/** One follower for each kind. */
export class KindFollowers {
  readonly #deps: KindFollowersDeps;
  readonly #followers = new Map<string, Follower>();
  readonly #states = new Map<string, KindState>();

  constructor(deps: KindFollowersDeps) {
    this.#deps = deps;
  }

  states(): ReadonlyMap<string, KindState> {
    return this.#states;
  }

  /** Restarts the followers whose schema has changed, or whose type differs at the platform. */
  async follow(kinds: readonly IndexedKind[], differing: ReadonlySet<string>): Promise<void> {
    for (const kind of kinds) {
      const before = this.#followers.get(kind.type);
      if (before !== undefined && !differing.has(kind.type) && isSameKind(before.kind, kind)) continue;
      if (before !== undefined) await stopped(before);
      this.#start(kind);
    }
  }

  async stop(type: string): Promise<void> {
    const follower = this.#followers.get(type);
    this.#followers.delete(type);
    this.#states.delete(type);
    if (follower !== undefined) await stopped(follower);
  }

  async stopAll(): Promise<void> {
    await Promise.all([...this.#followers.keys()].map(async (type) => await this.stop(type)));
  }

  #start(kind: IndexedKind): void {
    const { type } = kind;
    const { source, ledger, clock } = this.#deps;
    const stop = new AbortController();
    const onState = (state: TypeState, message: string): void => this.#become(type, { state, message });
    onState('Listing', '');
    const done = followKind(kind, { source, ledger, clock, onState }, stop.signal).catch((error: unknown) => {
      if (stop.signal.aborted) return;
      // A source reports failures and does not throw. The next exchange starts the follower again.
      this.#followers.delete(type);
      this.#become(type, { state: 'Troubled', message: 'observed objects could not be processed' });
      this.#deps.onTrouble(type, error);
    });
    this.#followers.set(type, { kind, stop, done });
  }

  #become(type: string, { state, message }: KindState): void {
    const before = this.#states.get(type);
    if (before?.state === state && before.message === message) return;
    this.#states.set(type, { state, message });
    this.#deps.onState(type, state, message);
  }
}

function isSameKind(one: IndexedKind, other: IndexedKind): boolean {
  return canonicalJson(plain(one)) === canonicalJson(plain(other));
}

async function stopped({ stop, done }: Follower): Promise<void> {
  stop.abort();
  await done;
}
