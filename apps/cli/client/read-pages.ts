import type { Static, TObject, TSchema } from 'typebox';
import type { ApiClient, Call } from './api-client.ts';
import { isCompiled, type LazySchema } from './lazy-schema.ts';

export interface Pages<S extends TObject> {
  readonly item: LazySchema<S>;
  readonly call: Call;
  /** The maximum number of items; all by default. */
  readonly limit?: number | undefined;
}

export interface ReadPages<Item> {
  readonly items: readonly Item[];
  /** Whether there may be more items than requested. */
  readonly more: boolean;
}

const PAGE_SIZE = 1000;

/** Reads page by page. A page can be short or empty and still have a next one. */
export async function readPages<S extends TObject>(
  api: ApiClient,
  { item, call, limit = Number.POSITIVE_INFINITY }: Pages<S>,
  signal: AbortSignal,
): Promise<ReadPages<Static<S>>> {
  const schema = pageOf(item);
  const items: Static<S>[] = [];
  for (let pageToken: string | undefined; ; ) {
    const query = { ...call.query, pageSize: Math.min(PAGE_SIZE, limit - items.length), pageToken };
    const page = (await api.get(schema, { ...call, query }, signal)) as Page<Static<S>>;
    items.push(...page.items);
    pageToken = page.nextPageToken;
    if (pageToken === undefined || items.length >= limit) return { items, more: pageToken !== undefined };
  }
}

interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextPageToken?: string;
}

function pageOf<S extends TObject>(item: LazySchema<S>): LazySchema<TSchema> {
  if (isCompiled(item)) return { check: (value): value is unknown => isPage(value) && value.items.every(item.check) };
  return async () => {
    const [{ Type }, loaded] = [await import('typebox'), typeof item === 'function' ? await item() : item];
    return Type.Object({ items: Type.Array(loaded), nextPageToken: Type.Optional(Type.String()) });
  };
}

function isPage(value: unknown): value is Page<unknown> {
  if (typeof value !== 'object' || value === null || !('items' in value) || !Array.isArray(value.items)) return false;
  return !('nextPageToken' in value) || typeof value.nextPageToken === 'string';
}
