import type { Grant } from './grant.ts';
import type { PermissionSchema } from './permission-schema.ts';

/** What the index keeps of a grant. */
export type IndexedGrant = Pick<Grant, 'uid' | 'name' | 'resource' | 'subject' | 'gives'>;
/** What the index keeps of a permission schema. */
export type IndexedSchema = Pick<PermissionSchema, 'name' | 'uid' | 'version' | 'roles'>;

/**
 * One thing that became true. Changes come from two sources, this process's own commits and the event log, which say the
 * same things at different times: each may be applied any number of times, and an old one after a newer one.
 *
 * `generation` orders the changes of one thing: it grows whenever its place in the tree changes.
 */
export type AccessChange =
  | {
      readonly kind: 'workspace';
      readonly name: string;
      readonly uid: string;
      readonly generation: number;
      /** Only the root has none. */
      readonly parent: string | undefined;
    }
  | { readonly kind: 'workspaceDeleted'; readonly uid: string }
  | {
      readonly kind: 'target';
      readonly name: string;
      readonly uid: string;
      readonly generation: number;
      readonly workspace: string;
    }
  | { readonly kind: 'targetDeleted'; readonly uid: string }
  | { readonly kind: 'grant'; readonly grant: IndexedGrant }
  | { readonly kind: 'grantDeleted'; readonly uid: string }
  | { readonly kind: 'permissionSchema'; readonly schema: IndexedSchema }
  | { readonly kind: 'permissionSchemaDeleted'; readonly uid: string };
