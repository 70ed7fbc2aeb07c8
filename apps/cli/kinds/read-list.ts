import type { ApiClient, Query } from '../client/api-client.ts';
import { type ReadPages, readPages } from '../client/read-pages.ts';
import { type Kind, type Resource, schemaOf } from './kind.ts';
import type { Place } from './place.ts';

export interface Listing {
  readonly kind: Kind;
  readonly place: Place;
  readonly query?: Query;
  /** The maximum number of items; all by default. */
  readonly limit?: number | undefined;
}

/** Lists the resources at the place, up to the limit. */
export async function readList(
  api: ApiClient,
  { kind, place, query, limit }: Listing,
  signal: AbortSignal,
): Promise<ReadPages<Resource>> {
  const collection = kind.list(place);
  const call = { path: collection.path, query: { ...collection.query, ...query } };
  return await readPages(api, { item: schemaOf(kind), call, limit }, signal);
}
