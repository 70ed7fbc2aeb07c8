import type { Principal } from '#kit/http';

/** The resources that a caller may see with a permission. Others look like they do not exist (404). */
export interface Visibility {
  of(principal: Principal, permission: string): VisibleSet;
}

/** Everything, or these disjoint subtrees. */
export type VisibleSet =
  | { readonly kind: 'everything' }
  | { readonly kind: 'some'; readonly workspaces: readonly string[] };
