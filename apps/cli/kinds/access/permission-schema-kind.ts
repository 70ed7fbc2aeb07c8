import { timeCell } from '../cells.ts';
import { defineKind } from '../kind.ts';
import { specSchema } from '../spec-schema.ts';

export const permissionSchemaKind = defineKind({
  name: 'permissionschema',
  plural: 'permission-schemas',
  title: 'PermissionSchema',
  summary: 'permissions that addons define',
  schema: async () => (await import('#protocol/api')).PermissionSchemaSchema,
  takes: [],
  nameOf: ({ name }) => name,
  columns: [
    { heading: 'NAME', cell: ({ name }) => name },
    { heading: 'RESOURCE TYPE', cell: ({ resourceType }) => resourceType },
    { heading: 'IMPLIED BY', cell: ({ roles }) => roles.map(({ role }) => role).join(',') },
    { heading: 'CREATED', cell: ({ createTime }) => timeCell(createTime) },
    { heading: 'DESCRIPTION', wide: true, cell: ({ description }) => description },
  ],
  list: () => ({ path: ['permission-schemas'] }),
  deletable: true,
  events: {
    changed: ['permissionSchema.created', 'permissionSchema.updated'],
    gone: ['permissionSchema.deleted'],
  },
  apply: {
    spec: async () => specSchema((await import('#protocol/api')).PutPermissionSchemaSchema, []),
    patched: [],
    put: true,
    needs: () => [],
  },
});
