import type { ApiClient, Query } from '../client/api-client.ts';
import type { Kind, Resource } from './kind.ts';
import type { Place } from './place.ts';

export interface Listing {
  readonly kind: Kind;
  readonly place: Place;
  readonly query?: Query;
  /** At most so many; all, without. */
  readonly limit?: number | undefined;
}

export interface Listed {
  readonly items: readonly Resource[];
  /** There may be more than were asked for. */
  readonly more: boolean;
}

const PAGE_SIZE = 1000;

/** Page by page. A page can be short, or empty, and still have a next one. */
export async function readList(api: ApiClient, listing: Listing, signal: AbortSignal): Promise<Listed> {
  const { kind, place, query, limit = Number.POSITIVE_INFINITY } = listing;
  const collection = kind.list(place);
  const items: Resource[] = [];
  for (let pageToken: string | undefined; ; ) {
    const pageSize = Math.min(PAGE_SIZE, limit - items.length);
    const call = { path: collection.path, query: { ...collection.query, ...query, pageSize, pageToken } };
    const page = (await api.get(kind.page, call, signal)) as { items: Resource[]; nextPageToken?: string };
    items.push(...page.items);
    pageToken = page.nextPageToken;
    if (pageToken === undefined || items.length >= limit) return { items, more: pageToken !== undefined };
  }
}
