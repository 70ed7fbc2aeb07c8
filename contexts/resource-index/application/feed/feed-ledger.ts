import { unlessAborted } from '#kit/std';
import type { IndexDelta } from '../../domain/index-message.ts';
import { type IndexedObject, keyText, type ObjectKey } from '../../domain/indexed-object.ts';
import { KnownObjects } from '../../domain/known-objects.ts';

export interface LedgerLimits {
  /** Objects and bytes in one batch. */
  readonly batchObjects: number;
  readonly batchBytes: number;
  /** How much may wait to be sent; beyond that `put` and `gone` wait. */
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
  /** `undefined`: deleted. */
  readonly object: IndexedObject | undefined;
  readonly bytes: number;
}

/** The approximate size of a key and its frame. */
const OVERHEAD = 100;

/**
 * Tracks what the platform has of a target, as far as the agent knows, and what still has to be sent. Of each object only the
 * latest pending change is kept; a change back to what the platform has is not sent at all.
 */
export class FeedLedger {
  readonly #limits: LedgerLimits;
  readonly #onWaiting: () => void;
  readonly #known = new Map<string, KnownObjects>();
  readonly #waiting = new Map<string, Waiting>();
  #bytes = 0;
  #room = Promise.withResolvers<void>();

  /** `onWaiting` is called when the first change is waiting, or enough for a batch. */
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

  /** The platform removes expired objects by itself. */
  forgetExpired(now: number): void {
    for (const known of this.#known.values()) known.forgetExpired(now);
  }

  /** Waits for room, unless it replaces a pending change. */
  async put(object: IndexedObject, signal: AbortSignal): Promise<void> {
    const { key } = object;
    await this.#tell({ key, object, bytes: object.content.length + OVERHEAD }, signal);
  }

  async gone(key: ObjectKey, signal: AbortSignal): Promise<void> {
    await this.#tell({ key, object: undefined, bytes: OVERHEAD }, signal);
  }

  /** The keys that the platform has of a type, including pending changes. */
  keysOf(type: string): ReadonlySet<string> {
    const keys = new Set(this.known(type).keys());
    for (const { key, object } of this.#waiting.values()) {
      if (key.type !== type) continue;
      if (object === undefined) keys.delete(keyText(key));
      else keys.add(keyText(key));
    }
    return keys;
  }

  /** Forgets a type that the platform is told to drop. */
  drop(type: string): void {
    this.#known.delete(type);
    for (const [id, { key }] of this.#waiting) if (key.type === type) this.#remove(id);
  }

  /** The next batch. The caller has to send it before any other. */
  take(): IndexDelta | undefined {
    const put: IndexedObject[] = [];
    const deleted: ObjectKey[] = [];
    let bytes = 0;
    for (const [id, { key, object, bytes: size }] of this.#waiting) {
      if (put.length + deleted.length >= this.#limits.batchObjects || bytes >= this.#limits.batchBytes) break;
      this.#remove(id);
      // A resync may have shown meanwhile that the platform has it already.
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
      // The expiry may be new.
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
