import type { CollectionRef, KubeClient } from '../client/kube-client.ts';
import type { KubeList, KubeObject } from '../client/kube-object.ts';
import { isKubeError } from '../kube-error.ts';

export interface Selectors {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

export interface PagedList {
  readonly client: KubeClient;
  readonly collection: CollectionRef;
  readonly selectors: Selectors;
  readonly pageSize: number;
}

/**
 * All of a collection as it was at one moment, page by page. When the server has forgotten that moment before the last
 * page, everything is had anew in one piece: `onPage` is told to begin again.
 */
export async function listPages<T extends KubeObject>(
  { client, collection, selectors, pageSize }: PagedList,
  onPage: (items: readonly T[], page: { readonly first: boolean }) => void,
  signal: AbortSignal,
): Promise<string> {
  let after: string | undefined;
  for (;;) {
    let page: KubeList<T>;
    try {
      const options = { ...selectors, limit: pageSize, ...(after !== undefined && { continue: after }) };
      page = await client.list<T>(collection, options, signal);
    } catch (error) {
      if (after === undefined || !isKubeError(error, 'EXPIRED')) throw error;
      const whole = await client.list<T>(collection, selectors, signal);
      onPage(whole.items, { first: true });
      return whole.metadata.resourceVersion;
    }
    onPage(page.items, { first: after === undefined });
    after = page.metadata.continue || undefined;
    if (after === undefined) return page.metadata.resourceVersion;
  }
}
