import type { Principal } from '#kit/http';

/** The resources that a principal may see with a permission. All others look as if they did not exist. */
export interface Visibility {
  of(principal: Principal, permission: string): VisibleSet;
}

/** Everything, or the contents of these subtrees, none of which lies within another. */
export type VisibleSet =
  | { readonly kind: 'everything' }
  | { readonly kind: 'some'; readonly workspaces: readonly string[] };
