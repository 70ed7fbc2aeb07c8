import { contentHash } from '#kit/std';
import { isJsonObject } from './json-value.ts';
import { groupOf, identityOf, type ObjectKey } from './kube-object.ts';
import { KubernetesError } from './kubernetes-error.ts';
import type { UnservedKind } from './wanted-objects.ts';

/** An object that is there because of a deployment. */
export interface InventoryEntry {
  readonly key: ObjectKey;
  /** `undefined` as long as it was only about to be made: an agent that ended then left an object, or none. */
  readonly uid?: string | undefined;
  readonly origin: 'created' | 'adopted';
  /** Of what was sent. */
  readonly sent: string;
  /** Of what the server made of it, our fields only: as long as a live object has the same there is nothing to do. */
  readonly held?: string | undefined;
}

/** What is known of one deployment in one cluster. It is kept there, and outlives the agent and the content. */
export interface Inventory {
  readonly deployment: string;
  /** Counts the times that it was written. */
  readonly generation: number;
  /** The last order that was taken; without a hash it was a removal. */
  readonly seen: { readonly revision: number; readonly hash?: string | undefined };
  /** What was applied whole. */
  readonly held?: { readonly revision: number; readonly hash: string } | undefined;
  readonly entries: readonly InventoryEntry[];
}

/** A part of an inventory that fits into an object of the cluster. */
export interface InventoryChunk {
  readonly deployment: string;
  readonly generation: number;
  readonly index: number;
  readonly count: number;
  /** Of the whole inventory: parts of two writers at the same generation do not fit together. */
  readonly digest: string;
  readonly payload: string;
}

export type Joined =
  | { readonly kind: 'none' }
  | { readonly kind: 'inventory'; readonly inventory: Inventory; readonly leftovers: readonly InventoryChunk[] };

/** etcd takes 1.5 MiB, and API servers 1 MiB in a ConfigMap or Secret; some room is for what is around it. */
export const MAX_CHUNK_BYTES = 900 * 1024;

/**
 * DECISION: a generation is written beside the one before, which goes only once the new one is whole. Chunks that were
 * overwritten in place would leave neither after a crash in between.
 */
export function splitInventory(inventory: Inventory, maxBytes = MAX_CHUNK_BYTES): InventoryChunk[] {
  const { deployment, generation } = inventory;
  const { entries, ...head } = inventory;
  const parts = packed([head, ...entries], maxBytes);
  const digest = contentHash(JSON.parse(JSON.stringify(inventory)));
  return parts.map((payload, index) => ({ deployment, generation, index, count: parts.length, digest, payload }));
}

/**
 * The latest generation of which all chunks are there. Others are left over: from a write that did not come to its end, or
 * from the one before. If there are chunks and no whole generation, that is no empty inventory, but doubt.
 */
export function joinInventory(chunks: readonly InventoryChunk[]): Joined {
  if (chunks.length === 0) return { kind: 'none' };
  const whole = [...Map.groupBy(chunks, ({ generation, digest }) => `${generation} ${digest}`).values()]
    .filter(isWhole)
    .sort(([one], [two]) => (two?.generation ?? 0) - (one?.generation ?? 0) || byText(one?.digest, two?.digest));
  const [latest] = whole;
  if (latest === undefined) {
    throw new KubernetesError(
      'INVENTORY_TORN',
      `join the inventory of ${chunks[0]?.deployment}: no generation is whole`,
    );
  }
  const inventory = read(latest);
  return { kind: 'inventory', inventory, leftovers: chunks.filter((chunk) => !latest.includes(chunk)) };
}

export interface PruneQuestion {
  readonly inventory: Inventory;
  readonly wanted: readonly { readonly key: ObjectKey }[];
  readonly unserved: readonly UnservedKind[];
}

/**
 * What is ours and no longer wanted. Kinds that are wanted and not served now are left alone: which of them are
 * wanted is not known until they are.
 */
export function pruneSet({ inventory, wanted, unserved }: PruneQuestion): InventoryEntry[] {
  const stays = new Set(wanted.map(({ key }) => identityOf(key)));
  const inDoubt = new Set(unserved.map(kindText));
  return inventory.entries.filter(({ key }) => !stays.has(identityOf(key)) && !inDoubt.has(kindText(key)));
}

function kindText({ apiVersion, kind }: UnservedKind): string {
  return `${groupOf(apiVersion)}/${kind}`;
}

/** As many to a line as fit. One that is too large by itself has a chunk of its own. */
function packed(records: readonly unknown[], maxBytes: number): string[] {
  const encoder = new TextEncoder();
  const parts: string[] = [];
  let lines: string[] = [];
  let bytes = 0;
  for (const record of records) {
    const line = JSON.stringify(record);
    const size = encoder.encode(line).length + 1;
    if (lines.length > 0 && bytes + size > maxBytes) {
      parts.push(lines.join('\n'));
      [lines, bytes] = [[], 0];
    }
    lines.push(line);
    bytes += size;
  }
  return [...parts, lines.join('\n')];
}

function isWhole(chunks: readonly InventoryChunk[]): boolean {
  const count = chunks[0]?.count ?? 0;
  const indexes = new Set(chunks.map(({ index }) => index));
  return chunks.every((chunk) => chunk.count === count) && indexes.size === count && chunks.length === count;
}

function read(chunks: readonly InventoryChunk[]): Inventory {
  const [first] = chunks;
  const lines = chunks.toSorted((one, two) => one.index - two.index).flatMap(({ payload }) => payload.split('\n'));
  let records: unknown[];
  try {
    records = lines.map((line) => JSON.parse(line) as unknown);
  } catch (error) {
    throw unreadable(first, { cause: error });
  }
  const [head, ...entries] = records;
  if (!isJsonObject(head) || contentHash({ ...head, entries }) !== first?.digest) throw unreadable(first, {});
  // The digest says that this is what was written; it was written out of an Inventory.
  return { ...head, entries } as unknown as Inventory;
}

function unreadable(chunk: InventoryChunk | undefined, options: { readonly cause?: unknown }): KubernetesError {
  const what = `read the inventory of ${chunk?.deployment} at generation ${chunk?.generation}`;
  return new KubernetesError('INVENTORY_UNREADABLE', `${what}: it is not what was written`, options);
}

function byText(one = '', two = ''): number {
  return one < two ? -1 : 1;
}
