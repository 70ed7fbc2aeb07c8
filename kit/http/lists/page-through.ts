import { setImmediate as turn } from 'node:timers/promises';
import type { PageKey } from './page-token.ts';

export interface Scan<Item> {
  /** The next items after the key, in the order of their keys. Fewer than the limit means that there are no more. */
  fetchChunk(after: PageKey | undefined, limit: number): Promise<readonly Item[]>;
  keyOf(item: Item): PageKey;
  /** Which items belong to the list; all of them when left out. */
  readonly keep?: (item: Item) => boolean | Promise<boolean>;
  readonly after: PageKey | undefined;
  readonly pageSize: number;
  readonly budget?: ScanBudget;
}

/** What one request may spend on items that the filter leaves out. Used up, the page ends early, with a token. */
export interface ScanBudget {
  readonly items: number;
  readonly ms: number;
}

export interface ScannedPage<Item> {
  readonly items: readonly Item[];
  /** Where the next page begins; `undefined` when this is the last. */
  readonly next: PageKey | undefined;
}

const DEFAULT_BUDGET: ScanBudget = { items: 10_000, ms: 2000 };
const CHUNK = 500;
/** Longer than this the filter does not hold up everybody else. */
const MAX_TURN_MS = 10;

/**
 * Fills a page from a list in key order. Pages one after the other are exactly the items to keep, each once, as long as
 * the list does not change meanwhile; a page may be short, or even empty, while there is a next one.
 */
export async function pageThrough<Item>(scan: Scan<Item>, signal: AbortSignal): Promise<ScannedPage<Item>> {
  const { items: maxItems, ms } = scan.budget ?? DEFAULT_BUDGET;
  const deadline = performance.now() + ms;
  const kept: Item[] = [];
  let after = scan.after;
  let seen = 0;
  for (;;) {
    signal.throwIfAborted();
    const limit = scan.keep ? CHUNK : scan.pageSize - kept.length + 1;
    const chunk = await scan.fetchChunk(after, limit);
    const used = await keepFrom(chunk, kept, scan);
    seen += used;
    const last = chunk[used - 1];
    if (last !== undefined) after = scan.keyOf(last);
    if (used === chunk.length && chunk.length < limit) return { items: kept, next: undefined };
    if (kept.length >= scan.pageSize || seen >= maxItems || performance.now() >= deadline) {
      return { items: kept, next: after };
    }
  }
}

/** Adds what is to be kept until the page is full. Returns how many items of the chunk are dealt with. */
async function keepFrom<Item>(chunk: readonly Item[], kept: Item[], scan: Scan<Item>): Promise<number> {
  let turnBegan = performance.now();
  let used = 0;
  for (const item of chunk) {
    if (kept.length >= scan.pageSize) break;
    // Most predicates answer at once, and then waiting for a promise would cost more than they do.
    const verdict = scan.keep?.(item) ?? true;
    if (typeof verdict === 'boolean' ? verdict : await verdict) kept.push(item);
    used += 1;
    if (performance.now() - turnBegan < MAX_TURN_MS) continue;
    await turn();
    turnBegan = performance.now();
  }
  return used;
}
