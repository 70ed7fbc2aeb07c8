import { timeCell } from '../cells.ts';
import { defineKind } from '../kind.ts';
import { workspaceOf } from '../place.ts';

export const bootstrapTokenKind = defineKind({
  name: 'bootstraptoken',
  plural: 'bootstrap-tokens',
  title: 'BootstrapToken',
  summary: 'tokens that machines enrol with; created by "fleetshift target enroll"',
  schema: async () => (await import('#protocol/api')).BootstrapTokenSchema,
  takes: ['workspace'],
  nameOf: ({ name }) => name,
  columns: [
    { heading: 'NAME', cell: ({ name }) => name },
    { heading: 'WORKSPACE', cell: ({ workspace }) => workspace },
    { heading: 'STATUS', cell: ({ status }) => status },
    { heading: 'USED', cell: ({ used, uses }) => `${used}/${uses}` },
    { heading: 'EXPIRES', cell: ({ expireTime }) => timeCell(expireTime) },
    { heading: 'TARGETS', cell: ({ targets }) => targets.join(',') || 'any' },
    { heading: 'TYPE', wide: true, cell: ({ targetType }) => targetType ?? 'any' },
    { heading: 'CORRELATION', wide: true, cell: ({ correlation }) => correlation },
    { heading: 'CREATED', wide: true, cell: ({ createTime }) => timeCell(createTime) },
  ],
  list: (place) => ({ path: ['workspaces', workspaceOf(place), 'bootstrap-tokens'] }),
  isAt: (item, place) => item.workspace === place.workspace,
  deletable: true,
  events: { changed: ['bootstrapToken.created', 'bootstrapToken.used'], gone: ['bootstrapToken.deleted'] },
});
