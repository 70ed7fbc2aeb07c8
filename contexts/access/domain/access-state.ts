import type { GrantBook } from './grant-book.ts';
import type { PermissionBook } from './permission-book.ts';
import type { ResourceTree } from './resource-tree.ts';

/** Everything that a decision depends on. */
export interface AccessState {
  readonly tree: ResourceTree;
  readonly grants: GrantBook;
  readonly permissions: PermissionBook;
}
