import { FleetError, parseResourceName, parseUuid } from '#kit/std';
import type { GrantResource, PermissionSchemaResource } from '#protocol/api';
import type { AccessChange, IndexedGrant } from '../domain/access-change.ts';
import { AccessError } from '../domain/access-error.ts';
import { ACCESS_EVENTS, type AccessEventType } from '../domain/access-event.ts';
import { parseGrant } from '../domain/new-grant.ts';
import { parseResourcePath } from '../domain/resource-ref.ts';

/**
 * Translates an event of this context, read from the log, into an index change; `undefined` for events of other
 * contexts.
 */
export function accessChangeOf(event: { readonly type: string; readonly data: unknown }): AccessChange | undefined {
  const type = ACCESS_EVENTS.find((each) => each === event.type);
  if (type === undefined) return undefined;
  try {
    return changeOf(type, event.data);
  } catch (cause) {
    if (!(cause instanceof FleetError || cause instanceof TypeError)) throw cause;
    throw new AccessError('STORED_ACCESS_INVALID', `read an event of type ${type}`, { cause });
  }
}

/** This context wrote the event: its data is the resource as the API shows it. */
function changeOf(type: AccessEventType, data: unknown): AccessChange {
  switch (type) {
    case 'grant.created':
      return { kind: 'grant', grant: indexedGrant(data as GrantResource) };
    case 'grant.deleted':
      return { kind: 'grantDeleted', uid: parseUuid((data as GrantResource).uid) };
    case 'permissionSchema.created':
    case 'permissionSchema.updated': {
      const { name, uid, generation: version, roles } = data as PermissionSchemaResource;
      return {
        kind: 'permissionSchema',
        schema: { name: parseResourceName(name), uid: parseUuid(uid), version, roles },
      };
    }
    case 'permissionSchema.deleted':
      return { kind: 'permissionSchemaDeleted', uid: parseUuid((data as PermissionSchemaResource).uid) };
  }
}

function indexedGrant(data: GrantResource): IndexedGrant {
  const { uid, name, resource: path, resourceUid } = data;
  const ref = parseResourcePath(path);
  if (ref === undefined) throw new TypeError(`not a resource: ${path}`);
  const { subject, gives } = parseGrant(data);
  return { uid: parseUuid(uid), name: parseResourceName(name), resource: { ...ref, uid: resourceUid }, subject, gives };
}
