import type { Grant } from './grant.ts';
import type { PermissionSchema } from './permission-schema.ts';

/** The part of a grant that the index holds. */
export type IndexedGrant = Pick<Grant, 'uid' | 'name' | 'resource' | 'subject' | 'gives'>;
/** The part of a permission schema that the index holds. */
export type IndexedSchema = Pick<PermissionSchema, 'name' | 'uid' | 'version' | 'roles'>;

/**
 * One change of the access state. Changes come from two sources, this process's own commits and the event log, which
 * report the same changes at different times. Applying a change is idempotent, and an old one may follow a newer one.
 *
 * `generation` orders the changes of one resource: it grows whenever the resource moves in the tree.
 */
export type AccessChange =
  | {
      readonly kind: 'workspace';
      readonly name: string;
      readonly uid: string;
      readonly generation: number;
      /** `undefined` for the root only. */
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
