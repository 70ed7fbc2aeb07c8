import type { GrantBook } from './grant-book.ts';
import type { PermissionBook } from './permission-book.ts';
import type { ResourceTree } from './resource-tree.ts';

/** All that a decision looks at. */
export interface AccessState {
  readonly tree: ResourceTree;
  readonly grants: GrantBook;
  readonly permissions: PermissionBook;
}
