import type { Clock } from '#kit/std';
import { extractorOf } from '../../domain/extract-object.ts';
import type { TypeState } from '../../domain/index-message.ts';
import type { IndexedKind } from '../../domain/index-schema.ts';
import { keyOf, keyText } from '../../domain/indexed-object.ts';
import type { FeedLedger } from './feed-ledger.ts';
import type { ObjectSource, SourceEvent } from './object-source.ts';

export interface KindFollowerDeps {
  readonly source: ObjectSource;
  readonly ledger: FeedLedger;
  readonly clock: Clock;
  readonly onState: (state: TypeState, message: string) => void;
}

/** Feeds the changes of a kind's objects into the ledger, until aborted. */
export async function followKind(kind: IndexedKind, deps: KindFollowerDeps, signal: AbortSignal): Promise<void> {
  const follower = new KindFollower(kind, deps, signal);
  for await (const event of deps.source.follow(kind.type, signal)) await follower.take(event);
}

class KindFollower {
  readonly #type: string;
  readonly #extract: ReturnType<typeof extractorOf>;
  readonly #deps: KindFollowerDeps;
  readonly #signal: AbortSignal;
  /** The keys seen so far, while a list is in progress. */
  #seen: Set<string> | undefined;

  constructor(kind: IndexedKind, deps: KindFollowerDeps, signal: AbortSignal) {
    this.#type = kind.type;
    this.#extract = extractorOf(kind);
    this.#deps = deps;
    this.#signal = signal;
  }

  async take(event: SourceEvent): Promise<void> {
    const { ledger, clock, onState } = this.#deps;
    switch (event.kind) {
      case 'listing':
        this.#seen = new Set();
        return onState('Listing', '');
      case 'object': {
        const { key } = event.object;
        const indexed = this.#extract(event.object, clock.now());
        this.#seen?.add(keyText(key));
        return indexed === undefined ? await ledger.gone(key, this.#signal) : await ledger.put(indexed, this.#signal);
      }
      case 'gone':
        return await ledger.gone(event.key, this.#signal);
      case 'listed':
        await this.#sweep();
        return onState('Followed', '');
      case 'state':
        return onState(event.state, event.message);
    }
  }

  async #sweep(): Promise<void> {
    const { ledger } = this.#deps;
    const seen = this.#seen ?? new Set();
    this.#seen = undefined;
    for (const key of ledger.keysOf(this.#type)) {
      if (!seen.has(key)) await ledger.gone(keyOf(this.#type, key), this.#signal);
    }
  }
}
