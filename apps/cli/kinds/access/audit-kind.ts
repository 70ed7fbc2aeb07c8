import { subjectCell, timeCell } from '../cells.ts';
import { defineKind } from '../kind.ts';

export const auditKind = defineKind({
  name: 'audit',
  plural: 'audit',
  title: 'AuditEntry',
  summary: 'performed and refused operations, newest first',
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
  // The workspace of the context is ignored, so that a caller who may read the audit log of the whole instance sees all
  // of it.
  list: ({ workspace, workspaceIsSaid }) => ({ path: ['audit'], query: workspaceIsSaid ? { workspace } : {} }),
});
