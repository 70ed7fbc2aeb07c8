import { unlessAborted } from '#kit/std';
import type { IndexDelta } from '../../domain/index-message.ts';
import { type IndexedObject, keyText, type ObjectKey } from '../../domain/indexed-object.ts';
import { KnownObjects } from '../../domain/known-objects.ts';

export interface LedgerLimits {
  /** Objects and bytes in one batch. */
  readonly batchObjects: number;
  readonly batchBytes: number;
  /** What may wait to be sent; whoever has more waits. */
  readonly waitingObjects: number;
  readonly waitingBytes: number;
}

export const LEDGER_LIMITS: LedgerLimits = {
  batchObjects: 500,
  batchBytes: 256 * 1024,
  waitingObjects: 4_000,
  waitingBytes: 4 * 1024 * 1024,
};

interface Waiting {
  readonly key: ObjectKey;
  /** `undefined`: it is gone. */
  readonly object: IndexedObject | undefined;
  readonly bytes: number;
}

/** As much as a key and its frame take. */
const OVERHEAD = 100;

/**
 * What the platform has of a target, as far as we know, and what it has yet to be told. While that waits, only the latest
 * of each object is kept; what leads back to what the platform has is not told at all.
 */
export class FeedLedger {
  readonly #limits: LedgerLimits;
  readonly #onWaiting: () => void;
  readonly #known = new Map<string, KnownObjects>();
  readonly #waiting = new Map<string, Waiting>();
  #bytes = 0;
  #room = Promise.withResolvers<void>();

  /** `onWaiting`: there is something to send where there was nothing, or enough for a batch. */
  constructor(limits: LedgerLimits, onWaiting: () => void) {
    this.#limits = limits;
    this.#onWaiting = onWaiting;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  get hasBatch(): boolean {
    return this.#waiting.size >= this.#limits.batchObjects || this.#bytes >= this.#limits.batchBytes;
  }

  known(type: string): KnownObjects {
    const found = this.#known.get(type) ?? new KnownObjects();
    this.#known.set(type, found);
    return found;
  }

  types(): readonly string[] {
    return [...this.#known.keys()];
  }

  /** The platform has forgotten these by itself. */
  forgetExpired(now: number): void {
    for (const known of this.#known.values()) known.forgetExpired(now);
  }

  /** Waits for room, unless it takes the place of what waits already. */
  async put(object: IndexedObject, signal: AbortSignal): Promise<void> {
    const { key } = object;
    await this.#tell({ key, object, bytes: object.content.length + OVERHEAD }, signal);
  }

  async gone(key: ObjectKey, signal: AbortSignal): Promise<void> {
    await this.#tell({ key, object: undefined, bytes: OVERHEAD }, signal);
  }

  /** What the platform has of a type, or is about to have. */
  keysOf(type: string): ReadonlySet<string> {
    const keys = new Set(this.known(type).keys());
    for (const { key, object } of this.#waiting.values()) {
      if (key.type !== type) continue;
      if (object === undefined) keys.delete(keyText(key));
      else keys.add(keyText(key));
    }
    return keys;
  }

  /** The platform is told to drop all of it. */
  drop(type: string): void {
    this.#known.delete(type);
    for (const [id, { key }] of this.#waiting) if (key.type === type) this.#remove(id);
  }

  /** The next batch. Whoever takes it has to send it, before any other. */
  take(): IndexDelta | undefined {
    const put: IndexedObject[] = [];
    const deleted: ObjectKey[] = [];
    let bytes = 0;
    for (const [id, { key, object, bytes: size }] of this.#waiting) {
      if (put.length + deleted.length >= this.#limits.batchObjects || bytes >= this.#limits.batchBytes) break;
      this.#remove(id);
      // It may have come to have it by itself meanwhile.
      if (this.#knows(key, object)) continue;
      bytes += size;
      if (object === undefined) deleted.push(key);
      else put.push(object);
      this.#learn(key, object);
    }
    this.#room.resolve();
    this.#room = Promise.withResolvers();
    return put.length + deleted.length === 0 ? undefined : { put, deleted, droppedTypes: [] };
  }

  async #tell(change: Waiting, signal: AbortSignal): Promise<void> {
    const { key } = change;
    const id = idOf(key);
    if (this.#knows(key, change.object)) {
      // Until when the platform keeps it may be news to us.
      this.#learn(key, change.object);
      return this.#remove(id);
    }
    const { waitingObjects, waitingBytes } = this.#limits;
    while (!this.#waiting.has(id) && (this.#waiting.size >= waitingObjects || this.#bytes >= waitingBytes)) {
      await unlessAborted(this.#room.promise, signal);
    }
    signal.throwIfAborted();
    const hadBatch = this.hasBatch;
    this.#remove(id);
    this.#waiting.set(id, change);
    this.#bytes += change.bytes;
    if (this.#waiting.size === 1 || (!hadBatch && this.hasBatch)) this.#onWaiting();
  }

  #knows({ type, ...key }: ObjectKey, object: IndexedObject | undefined): boolean {
    return this.known(type).digestOf(keyText(key)) === object?.digest;
  }

  #learn({ type, ...key }: ObjectKey, object: IndexedObject | undefined): void {
    if (object === undefined) this.known(type).delete(keyText(key));
    else this.known(type).set(keyText(key), object);
  }

  #remove(id: string): void {
    this.#bytes -= this.#waiting.get(id)?.bytes ?? 0;
    this.#waiting.delete(id);
  }
}

function idOf({ type, namespace, name }: ObjectKey): string {
  return `${type}\n${namespace}/${name}`;
}
