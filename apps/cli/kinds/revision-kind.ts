import { timeCell } from './cells.ts';
import { defineKind } from './kind.ts';
import { deploymentOf, workspaceOf } from './place.ts';

export const revisionKind = defineKind({
  name: 'revision',
  plural: 'revisions',
  title: 'Revision',
  summary: 'rollouts of a deployment, newest first',
  schema: async () => (await import('#protocol/api')).RevisionSummarySchema,
  takes: ['workspace', 'deployment'],
  nameOf: ({ revision }) => String(revision),
  limit: 100,
  columns: [
    { heading: 'REVISION', cell: ({ revision }) => String(revision) },
    { heading: 'OUTCOME', cell: ({ outcome }) => outcome ?? 'in progress' },
    { heading: 'PLANNED', cell: ({ createTime }) => timeCell(createTime) },
    { heading: 'ENDED', cell: ({ endTime }) => timeCell(endTime) },
    { heading: 'REQUESTED BY', cell: ({ requestedBy }) => requestedBy },
    { heading: 'WHY', cell: ({ trigger }) => trigger },
    { heading: 'CONTENT', wide: true, cell: ({ contentHash }) => contentHash.replace('sha256:', '').slice(0, 8) },
    { heading: 'CONTENT OF', wide: true, cell: ({ rollbackTo }) => rollbackTo?.toString() },
    { heading: 'PACED', wide: true, cell: ({ paced }) => (paced ? 'yes' : 'no') },
    { heading: 'MESSAGE', wide: true, cell: ({ message }) => message },
  ],
  list: (place) => ({ path: ['workspaces', workspaceOf(place), 'deployments', deploymentOf(place), 'revisions'] }),
});
