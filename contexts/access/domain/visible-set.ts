import type { AccessState } from './access-state.ts';
import type { Asker } from './asker.ts';
import { allows, isInScope } from './decide-access.ts';
import type { Held } from './grant-book.ts';
import { isSameResource, ROOT } from './resource-ref.ts';
import type { ResourceNode } from './resource-tree.ts';

/**
 * Where a caller has a permission, in the shortest form: the topmost workspaces, each with everything below it, and the
 * targets outside of these. Both sorted by name.
 */
export type VisibleSet =
  | { readonly kind: 'everything' }
  | { readonly kind: 'some'; readonly workspaces: readonly string[]; readonly targets: readonly string[] };

/** A resource is in the set exactly when `allows` returns true for it. */
export function visibleSet(state: AccessState, asker: Asker, permission: string): VisibleSet {
  const tops = topsOf(state, asker, permission);
  if (tops.some((node) => isSameResource(node, ROOT))) return { kind: 'everything' };
  const named = (kind: ResourceNode['kind']) => tops.flatMap((node) => (node.kind === kind ? [node.name] : [])).sort();
  return { kind: 'some', workspaces: named('workspace'), targets: named('target') };
}

/** The topmost nodes on which the asker has the permission, without duplicates. */
export function topsOf(state: AccessState, asker: Asker, permission: string): ResourceNode[] {
  const rule = state.permissions.ruleOf(permission);
  if (rule === undefined) return [];
  if (rule.reach === 'instance') {
    const root = state.tree.find(ROOT);
    return root && allows(state, asker, { permission, resource: ROOT }) ? [root] : [];
  }
  const { within } = asker;
  const edge = within && state.tree.find(within);
  if (within !== undefined && edge === undefined) return [];
  // A token narrowed to a resource counts at that resource, and no further up.
  if (edge !== undefined && allows(state, asker, { permission, resource: edge })) return [edge];
  const granted = new Set(grantedNodes(state, asker, permission).filter((node) => isInScope(state, asker, node)));
  return topmost(state, granted);
}

/** The topmost nodes of the intersection: two subtrees are disjoint, or one contains the other. */
export function commonTops(
  { tree }: AccessState,
  some: readonly ResourceNode[],
  others: readonly ResourceNode[],
): ResourceNode[] {
  const inside = (nodes: readonly ResourceNode[], tops: ReadonlySet<ResourceNode>): ResourceNode[] =>
    nodes.filter((node) => tree.lineage(node).some((above) => tops.has(above)));
  return [...new Set([...inside(some, new Set(others)), ...inside(others, new Set(some))])];
}

/** The nodes with a grant to the asker that confers the permission. */
function grantedNodes(state: AccessState, asker: Asker, permission: string): ResourceNode[] {
  const root = state.tree.find(ROOT);
  const all = asker.instanceAdmin && root && allows(state, asker, { permission, resource: ROOT }) ? [root] : [];
  const wanted = (state.permissions.ruleOf(permission)?.roles ?? 0) & asker.roles;
  const gives = ({ roles, grants }: Held): boolean =>
    (roles & wanted) !== 0 ||
    (asker.byName && grants.some(({ gives }) => gives.kind === 'permission' && gives.permission === permission));
  const granted = [...asker.subjects].flatMap((subject) =>
    [...(state.grants.heldBy(subject) ?? [])].flatMap(([uid, held]) =>
      gives(held) ? (state.tree.findByUid(uid) ?? []) : [],
    ),
  );
  return [...all, ...granted];
}

/** The nodes without another granted node above them. Visits each node once, however many paths lead up through it. */
function topmost({ tree }: AccessState, granted: ReadonlySet<ResourceNode>): ResourceNode[] {
  const covered = new Map<ResourceNode, boolean>();
  const isCovered = (node: ResourceNode): boolean => {
    const known = covered.get(node);
    if (known !== undefined) return known;
    // Preset, so that a walk through a cycle ends.
    covered.set(node, false);
    const above = tree.above(node);
    const answer = above !== undefined && (granted.has(above) || isCovered(above));
    covered.set(node, answer);
    return answer;
  };
  return [...granted].filter((node) => !isCovered(node));
}
