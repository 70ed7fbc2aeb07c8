import { isKubeError } from '../kube-error.ts';
import type { CollectionRef, KubeClient, ListOptions } from './kube-client.ts';
import type { KubeList, KubeObject } from './kube-object.ts';

export interface ListAllOptions<T extends KubeObject = KubeObject> extends Omit<ListOptions, 'limit' | 'continue'> {
  /** Objects per request; 500 by default. */
  readonly chunk?: number;
  /** Reduces each object. Called per chunk, so that at most one chunk is in memory in full. */
  readonly map?: (object: T) => T;
}

/**
 * Fetches a collection as of one moment, in chunks. If the server drops that snapshot halfway, which takes minutes, the
 * whole list is fetched in one piece.
 */
export async function listAll<T extends KubeObject>(
  client: Pick<KubeClient, 'list'>,
  ref: CollectionRef,
  { chunk = 500, map = (object) => object, ...options }: ListAllOptions<T>,
  signal: AbortSignal,
): Promise<KubeList<T>> {
  const page = async (more: ListOptions): Promise<KubeList<T>> => {
    const { items, metadata } = await client.list<T>(ref, more, signal);
    return { items: items.map((item) => map(item)), metadata };
  };
  const first = await page({ ...options, limit: chunk });
  const items = [...first.items];
  // The token contains the version of the first chunk, and the server refuses to get it twice.
  const { resourceVersion: _, resourceVersionMatch: __, ...rest } = options;
  let token = first.metadata.continue;
  while (token) {
    const next = await unlessExpired(page({ ...rest, limit: chunk, continue: token }));
    if (next === 'expired') return page(rest);
    for (const item of next.items) items.push(item);
    token = next.metadata.continue;
  }
  const { resourceVersion } = first.metadata;
  return { items, metadata: { resourceVersion } };
}

async function unlessExpired<T>(page: Promise<T>): Promise<T | 'expired'> {
  try {
    return await page;
  } catch (error) {
    if (isKubeError(error, 'EXPIRED')) return 'expired';
    throw error;
  }
}
