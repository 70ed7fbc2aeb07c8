import { subjectCell, timeCell } from './cells.ts';
import { defineKind } from './kind.ts';

export const auditKind = defineKind({
  name: 'audit',
  plural: 'audit',
  title: 'AuditEntry',
  summary: 'what was done and what was refused, the newest first',
  schema: async () => (await import('#protocol/api')).AuditEntrySchema,
  takes: ['workspace', 'all-workspaces'],
  limit: 100,
  columns: [
    { heading: 'TIME', cell: ({ time }) => timeCell(time) },
    { heading: 'WHO', cell: ({ principal }) => principal && subjectCell(principal) },
    { heading: 'WHAT', cell: ({ operation }) => operation },
    { heading: 'ON', cell: ({ resource }) => resource },
    { heading: 'OUTCOME', cell: ({ outcome, count }) => (count === 1 ? outcome : `${outcome} (${count} times)`) },
    { heading: 'FROM', cell: ({ address }) => address },
    { heading: 'REQUEST', wide: true, cell: ({ requestId }) => requestId },
    { heading: 'POSITION', wide: true, cell: ({ position }) => position?.toString() },
  ],
  // Whoever may read the audit of the whole instance does not lose sight of it by what the context means.
  list: ({ workspace, workspaceIsSaid }) => ({ path: ['audit'], query: workspaceIsSaid ? { workspace } : {} }),
});
