import { timeCell } from './cells.ts';
import { defineKind } from './kind.ts';
import { type Place, workspaceOf } from './place.ts';

export const approvalKind = defineKind({
  name: 'approval',
  plural: 'approvals',
  title: 'Approval',
  summary: 'approvals that rollouts wait for; answered with "fleetshift rollout approve"',
  schema: async () => (await import('#protocol/api')).ApprovalSchema,
  takes: ['workspace', 'all-workspaces'],
  nameOf: ({ uid }) => uid,
  columns: [
    { heading: 'UID', cell: ({ uid }) => uid },
    { heading: 'WORKSPACE', cell: ({ workspace }) => workspace },
    { heading: 'DEPLOYMENT', cell: ({ deployment }) => deployment },
    { heading: 'REVISION', cell: ({ revision }) => String(revision) },
    { heading: 'STEP', cell: ({ step }) => step },
    { heading: 'STATE', cell: ({ state }) => state },
    { heading: 'REQUESTED BY', cell: ({ requestedBy }) => requestedBy },
    { heading: 'SINCE', cell: ({ createTime }) => timeCell(createTime) },
    { heading: 'EXPIRES', cell: ({ expireTime }) => timeCell(expireTime) },
    { heading: 'ANSWERED BY', wide: true, cell: ({ answer }) => answer?.by },
    { heading: 'MESSAGE', wide: true, cell: ({ answer }) => answer?.message },
    { heading: 'GATE', wide: true, cell: ({ gate }) => gate },
  ],
  list: ({ workspace }) =>
    workspace === undefined ? { path: ['approvals'] } : { path: ['workspaces', workspace, 'approvals'] },
  home: (place: Place) => ['workspaces', workspaceOf(place), 'approvals'],
  isAt: (item, { workspace }) => workspace === undefined || item.workspace === workspace,
  events: { changed: ['approval.requested', 'approval.answered', 'approval.closed'], gone: [] },
});
