import type { ApiClient, Query } from '../client/api-client.ts';
import { type ReadPages, readPages } from '../client/read-pages.ts';
import type { Kind, Resource } from './kind.ts';
import type { Place } from './place.ts';

export interface Listing {
  readonly kind: Kind;
  readonly place: Place;
  readonly query?: Query;
  /** At most so many; all, without. */
  readonly limit?: number | undefined;
}

/** All of them at the place, or as many as are wanted. */
export async function readList(
  api: ApiClient,
  { kind, place, query, limit }: Listing,
  signal: AbortSignal,
): Promise<ReadPages<Resource>> {
  const collection = kind.list(place);
  const call = { path: collection.path, query: { ...collection.query, ...query } };
  return await readPages(api, { item: kind.schema, call, limit }, signal);
}
