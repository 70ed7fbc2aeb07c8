import { type LabelSelector, matchesSelector } from '#kit/std';
import type { Cluster } from './cluster.ts';
import { isEmptySelector, selectorFault } from './selector-fault.ts';

/** Doubt is not nothing: a selector that cannot be read takes no cluster away from a set. */
export type Selection =
  | { readonly kind: 'sure'; readonly clusters: readonly Cluster[] }
  | { readonly kind: 'unreadable'; readonly why: string };

/** Those of its namespace that a set is for, by name. A selector that says nothing selects nothing, not everything. */
export function selectClusters(selector: LabelSelector, clusters: readonly Cluster[]): Selection {
  const why = selectorFault(selector);
  if (why !== undefined) return { kind: 'unreadable', why };
  const selected = clusters.filter((cluster) => !cluster.isDeleting && isSelected(selector, cluster));
  return { kind: 'sure', clusters: selected.toSorted((a, b) => (a.name < b.name ? -1 : 1)) };
}

/** Whatever is wrong with other sets: of this one and this cluster alone. */
export function selects(selector: LabelSelector, cluster: Cluster): boolean {
  return selectorFault(selector) === undefined && isSelected(selector, cluster);
}

function isSelected(selector: LabelSelector, { labels }: Cluster): boolean {
  return !isEmptySelector(selector) && matchesSelector(selector, labels);
}
