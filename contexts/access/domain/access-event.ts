import type { Grant } from './grant.ts';
import type { PermissionSchema } from './permission-schema.ts';

export const ACCESS_EVENTS = [
  'grant.created',
  'grant.deleted',
  'permissionSchema.created',
  'permissionSchema.updated',
  'permissionSchema.deleted',
] as const;
export type AccessEventType = (typeof ACCESS_EVENTS)[number];

/** A change of grants or permission schemas. Carries the state after the change, or the last state of a deleted one. */
export type AccessEvent =
  | {
      readonly type: Extract<AccessEventType, `grant.${string}`>;
      readonly grant: Grant;
      /** The workspace that contains the resource, or the resource itself if it is a workspace. */
      readonly workspace: string;
    }
  | {
      readonly type: Extract<AccessEventType, `permissionSchema.${string}`>;
      readonly schema: PermissionSchema;
    };
