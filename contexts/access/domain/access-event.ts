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

/** Something that happened to who may do what. As it is afterwards; as it was last, once it is deleted. */
export type AccessEvent =
  | {
      readonly type: Extract<AccessEventType, `grant.${string}`>;
      readonly time: number;
      readonly grant: Grant;
      /** The workspace that the resource is in, or is. */
      readonly workspace: string;
    }
  | {
      readonly type: Extract<AccessEventType, `permissionSchema.${string}`>;
      readonly time: number;
      readonly schema: PermissionSchema;
    };
