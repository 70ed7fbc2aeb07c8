import { isKubeError } from '../kube-error.ts';
import type { CollectionRef, KubeClient, ListOptions } from './kube-client.ts';
import type { KubeList, KubeObject } from './kube-object.ts';

export interface ListAllOptions<T extends KubeObject = KubeObject> extends Omit<ListOptions, 'limit' | 'continue'> {
  /** Objects in one request, 500 unless told. */
  readonly chunk?: number;
  /** What is kept of each object. Called as chunks come, so that no more than one is ever there in full. */
  readonly map?: (object: T) => T;
}

/**
 * A collection as it was at one moment, fetched in chunks. When the server has forgotten that moment half way, which takes
 * it minutes, the whole is asked for in one piece.
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
  // The token knows the version that the first chunk was of, and the server refuses to be told it twice.
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
