import type { Principal } from '#kit/http';

/** What somebody may see with a permission. What he may not see does not exist for him. */
export interface Visibility {
  of(principal: Principal, permission: string): VisibleSet;
}

/** Everything, or what is in these subtrees, none of which is in another. */
export type VisibleSet =
  | { readonly kind: 'everything' }
  | { readonly kind: 'some'; readonly workspaces: readonly string[] };
