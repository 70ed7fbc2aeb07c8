import { isKubeError } from '../kube-error.ts';
import type { CollectionRef, KubeClient, ListOptions } from './kube-client.ts';
import type { KubeList, KubeObject } from './kube-object.ts';

export interface ListAllOptions extends Omit<ListOptions, 'limit' | 'continue'> {
  /** Objects in one request, 500 unless told. */
  readonly chunk?: number;
}

/**
 * A collection as it was at one moment, fetched in chunks. When the server has forgotten that moment half way, which takes
 * it minutes, the whole is asked for in one piece.
 */
export async function listAll<T extends KubeObject>(
  client: KubeClient,
  ref: CollectionRef,
  { chunk = 500, ...options }: ListAllOptions,
  signal: AbortSignal,
): Promise<KubeList<T>> {
  const first = await client.list<T>(ref, { ...options, limit: chunk }, signal);
  if (!first.metadata.continue) return first;
  const items: T[] = [...first.items];
  // The token knows the version that the first chunk was of, and the server refuses to be told it twice.
  const { resourceVersion: _, resourceVersionMatch: __, ...rest } = options;
  for (let token: string | undefined = first.metadata.continue; token; ) {
    const page: KubeList<T> | 'expired' = await nextPage(() =>
      client.list<T>(ref, { ...rest, limit: chunk, continue: token ?? '' }, signal),
    );
    if (page === 'expired') return client.list<T>(ref, rest, signal);
    for (const item of page.items) items.push(item);
    token = page.metadata.continue;
  }
  const { resourceVersion } = first.metadata;
  return { items, metadata: { resourceVersion } };
}

async function nextPage<T>(list: () => Promise<T>): Promise<T | 'expired'> {
  try {
    return await list();
  } catch (error) {
    if (isKubeError(error, 'EXPIRED')) return 'expired';
    throw error;
  }
}
