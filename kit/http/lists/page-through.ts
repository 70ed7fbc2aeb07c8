import { yieldIfLong } from '#kit/std';
import type { PageKey } from './page-token.ts';

export interface Scan<Item> {
  /** The next items after the key, in key order. Fewer than the limit means that there are no more. */
  fetchChunk(after: PageKey | undefined, limit: number): Promise<readonly Item[]>;
  keyOf(item: Item): PageKey;
  /** Which items belong to the list; by default all. */
  readonly keep?: (item: Item) => boolean | Promise<boolean>;
  readonly after: PageKey | undefined;
  readonly pageSize: number;
  readonly budget?: ScanBudget;
}

/**
 * How much one request may spend on items that the filter excludes. When it is used up, the page ends early, with a
 * token.
 */
export interface ScanBudget {
  readonly items: number;
  readonly ms: number;
}

export interface ScannedPage<Item> {
  readonly items: readonly Item[];
  /** The start of the next page; `undefined` if this is the last. */
  readonly next: PageKey | undefined;
}

const DEFAULT_BUDGET: ScanBudget = { items: 10_000, ms: 2000 };
const CHUNK = 500;

/**
 * Fills a page from a list in key order. Consecutive pages contain exactly the items to keep, each once, if the list
 * does not change meanwhile. A page may be short, or even empty, and still have a next one.
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

/** Adds the items to keep until the page is full. Returns how many items of the chunk were processed. */
async function keepFrom<Item>(chunk: readonly Item[], kept: Item[], scan: Scan<Item>): Promise<number> {
  let used = 0;
  for (const item of chunk) {
    if (kept.length >= scan.pageSize) break;
    // Most predicates are synchronous, and awaiting a promise would cost more than they do.
    const verdict = scan.keep?.(item) ?? true;
    if (typeof verdict === 'boolean' ? verdict : await verdict) kept.push(item);
    used += 1;
    const wait = yieldIfLong();
    if (wait !== undefined) await wait;
  }
  return used;
}
