import { defineKind } from './kind.ts';

export const usageKind = defineKind({
  name: 'usage',
  plural: 'usage',
  title: 'Usage',
  summary: 'resource usage by workspace and day',
  schema: async () => (await import('#protocol/api')).UsageSchema,
  takes: ['workspace', 'all-workspaces', 'subtree'],
  columns: [
    { heading: 'DAY', cell: ({ day }) => day },
    { heading: 'WORKSPACE', cell: ({ workspace }) => workspace },
    { heading: 'TARGETS', cell: ({ targets }) => String(targets) },
    { heading: 'DELIVERIES', cell: ({ deliveries }) => String(deliveries) },
    { heading: 'INDEX ROWS', cell: ({ indexRows }) => String(indexRows) },
    { heading: 'TUNNEL BYTES', cell: ({ tunnelBytes }) => String(tunnelBytes) },
  ],
  list: ({ workspace, subtree }) => ({ path: ['usage'], query: { workspace, subtree: subtree || undefined } }),
});
