import { timeCell } from '../cells.ts';
import { defineKind } from '../kind.ts';
import { serviceAccountOf, workspaceOf } from '../place.ts';

export const tokenKind = defineKind({
  name: 'token',
  plural: 'tokens',
  title: 'Token',
  summary: 'credentials of service accounts; created by "fleetshift token create"',
  schema: async () => (await import('#protocol/api')).TokenSchema,
  takes: ['workspace', 'service-account'],
  nameOf: ({ name }) => name,
  columns: [
    { heading: 'ID', cell: ({ name }) => name },
    { heading: 'STATUS', cell: ({ status }) => status },
    { heading: 'EXPIRES', cell: ({ expireTime }) => timeCell(expireTime) },
    { heading: 'LAST USED', cell: ({ lastUsedTime }) => timeCell(lastUsedTime) },
    {
      heading: 'SCOPE',
      cell: ({ scope }) => [scope.within, scope.roles?.join(',')].filter(Boolean).join(' ') || 'all',
    },
    { heading: 'ROTATED TO', wide: true, cell: ({ rotatedTo }) => rotatedTo },
    { heading: 'DISPLAY NAME', wide: true, cell: ({ displayName }) => displayName },
  ],
  list: (place) => ({
    path: ['workspaces', workspaceOf(place), 'service-accounts', serviceAccountOf(place), 'tokens'],
  }),
  deletable: true,
});
