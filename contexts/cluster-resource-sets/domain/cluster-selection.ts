import { type LabelSelector, matchesSelector } from '#kit/std';
import type { Cluster } from './cluster.ts';
import { isEmptySelector, selectorFault } from './selector-fault.ts';

/** An unreadable selector is not an empty selection: it removes no cluster from a set. */
export type Selection =
  | { readonly kind: 'sure'; readonly clusters: readonly Cluster[] }
  | { readonly kind: 'unreadable'; readonly why: string };

/**
 * The clusters of the namespace that the set selects, sorted by name. An empty selector selects nothing, not
 * everything.
 */
export function selectClusters(selector: LabelSelector, clusters: readonly Cluster[]): Selection {
  const why = selectorFault(selector);
  if (why !== undefined) return { kind: 'unreadable', why };
  const selected = clusters.filter((cluster) => !cluster.isDeleting && isSelected(selector, cluster));
  return { kind: 'sure', clusters: selected.toSorted((a, b) => (a.name < b.name ? -1 : 1)) };
}

/** Checks one set and one cluster, so that faults in other sets do not matter. */
export function selects(selector: LabelSelector, cluster: Cluster): boolean {
  return selectorFault(selector) === undefined && isSelected(selector, cluster);
}

function isSelected(selector: LabelSelector, { labels }: Cluster): boolean {
  return !isEmptySelector(selector) && matchesSelector(selector, labels);
}
