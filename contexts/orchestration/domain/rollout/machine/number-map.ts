/**
 * An immutable map from whole numbers: a change returns a new map that shares all but a few nodes with the old one.
 * Reading, changing and finding the first key cost the same with 100 and with 10,000 entries, and the map is plain JSON.
 *
 * DECISION: written here because the state of a rollout has to be immutable JSON and must absorb a report of one of
 * 10,000 targets without copying the other 9,999. Nodes hold 32 slots: three levels for 32,768 keys.
 */
export interface NumberMap<T> {
  readonly size: number;
  readonly height: number;
  readonly root: Slot<T>;
}

export type NumberSet = NumberMap<true>;

/** A node on the upper levels, a value on the lowest, or empty. */
type Slot<T> = Node<T> | T | null;
type Node<T> = readonly Slot<T>[];

const BITS = 5;
const WIDTH = 1 << BITS;

export function emptyMap<T>(): NumberMap<T> {
  return { size: 0, height: 0, root: null };
}

export function valueAt<T>(map: NumberMap<T>, key: number): T | undefined {
  if (key >= WIDTH ** (map.height + 1)) return undefined;
  let slot: Slot<T> = map.root;
  for (let shift = map.height * BITS; shift >= 0 && slot !== null; shift -= BITS) {
    slot = (slot as Node<T>)[slotOf(key, shift)] ?? null;
  }
  return (slot as T | null) ?? undefined;
}

export function withValue<T>(map: NumberMap<T>, key: number, value: T): NumberMap<T> {
  let { height, root } = map;
  for (; key >= WIDTH ** (height + 1); height += 1) root = root === null ? null : [root];
  const size = valueAt(map, key) === undefined ? map.size + 1 : map.size;
  return { size, height, root: written(root as Node<T> | null, height * BITS, { key, value }) };
}

export function withoutKey<T>(map: NumberMap<T>, key: number): NumberMap<T> {
  if (valueAt(map, key) === undefined) return map;
  if (map.size === 1) return emptyMap();
  return { ...map, size: map.size - 1, root: cleared(map.root as Node<T>, map.height * BITS, key) };
}

/** The smallest key with its value. */
export function firstOf<T>(map: NumberMap<T>): readonly [key: number, value: T] | undefined {
  if (map.root === null) return undefined;
  let slot: Slot<T> = map.root;
  let key = 0;
  // No node is empty, so each has a first slot that is taken.
  for (let shift = map.height * BITS; shift >= 0; shift -= BITS) {
    const node = slot as Node<T>;
    const index = node.findIndex((below) => below !== null);
    slot = node[index] as Slot<T>;
    key += index << shift;
  }
  return [key, slot as T];
}

/** In ascending order of keys. */
export function entriesOf<T>(map: NumberMap<T>): Generator<readonly [key: number, value: T], void, undefined> {
  return walk(map.root, map.height * BITS, 0);
}

export function* keysOf(map: NumberMap<unknown>): Generator<number, void, undefined> {
  for (const [key] of entriesOf(map)) yield key;
}

function slotOf(key: number, shift: number): number {
  return (key >>> shift) & (WIDTH - 1);
}

function written<T>(node: Node<T> | null, shift: number, entry: { key: number; value: T }): Node<T> {
  const copy: Slot<T>[] = node === null ? [] : node.slice();
  const slot = slotOf(entry.key, shift);
  while (copy.length < slot) copy.push(null);
  const below = (copy[slot] ?? null) as Node<T> | null;
  copy[slot] = shift === 0 ? entry.value : written(below, shift - BITS, entry);
  return copy;
}

/** Empty nodes become null, so that the first key is always found on the first branch. */
function cleared<T>(node: Node<T>, shift: number, key: number): Node<T> | null {
  const copy = node.slice();
  const slot = slotOf(key, shift);
  copy[slot] = shift === 0 ? null : cleared(copy[slot] as Node<T>, shift - BITS, key);
  return copy.every((left) => left === null) ? null : copy;
}

function* walk<T>(
  slot: Slot<T>,
  shift: number,
  key: number,
): Generator<readonly [key: number, value: T], void, undefined> {
  if (slot === null) return;
  if (shift < 0) {
    yield [key, slot as T];
    return;
  }
  const node = slot as Node<T>;
  for (let index = 0; index < node.length; index += 1) {
    const below = node[index] as Slot<T>;
    if (below !== null) yield* walk(below, shift - BITS, key + (index << shift));
  }
}
