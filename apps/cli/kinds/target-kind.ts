import type { TargetResource } from '#protocol/api';
import { renderTable } from '../output/render-table.ts';
import { labelsCell, timeCell } from './cells.ts';
import { defineKind } from './kind.ts';
import { workspaceOf } from './place.ts';
import { grantsSection } from './sections.ts';
import { specSchema } from './spec-schema.ts';

export const targetKind = defineKind({
  name: 'target',
  plural: 'targets',
  short: 'tgt',
  title: 'Target',
  summary: 'clusters and folders that deployments go to',
  schema: async () => (await import('#protocol/api')).TargetSchema,
  takes: ['workspace', 'all-workspaces', 'subtree', 'type'],
  nameOf: ({ name }) => name,
  columns: [
    { heading: 'NAME', cell: ({ name }) => name },
    { heading: 'TYPE', cell: ({ type }) => type },
    { heading: 'WORKSPACE', cell: ({ workspace }) => workspace },
    { heading: 'LIFECYCLE', cell: ({ lifecycle }) => lifecycle },
    { heading: 'CONNECTION', cell: connectionCell },
    { heading: 'LAST SEEN', cell: ({ connection }) => timeCell(connection.lastSeenTime) },
    { heading: 'LABELS', wide: true, cell: ({ labels }) => labelsCell(labels) },
    { heading: 'REPORTED', wide: true, cell: ({ reportedLabels }) => labelsCell(reportedLabels) },
    {
      heading: 'MANIFEST TYPES',
      wide: true,
      cell: ({ advertisedManifestTypes }) => advertisedManifestTypes.join(',') || '-',
    },
    { heading: 'CREATED', wide: true, cell: ({ createTime }) => timeCell(createTime) },
  ],
  list: ({ workspace, subtree, type }) => ({
    path: ['targets'],
    query: workspace === undefined ? { type } : { workspace, subtree: subtree || undefined, type },
  }),
  isAt: (item, { workspace, type }) =>
    (workspace === undefined || item.workspace === workspace) && (type === undefined || item.type === type),
  deletable: true,
  labelled: true,
  events: {
    changed: ['target.created', 'target.updated', 'target.assigned', 'target.connectionChanged', 'target.merged'],
    gone: ['target.deleted'],
    left: ['target.removed'],
  },
  apply: {
    spec: async () => specSchema((await import('#protocol/api')).NewTargetSchema, ['name', 'workspace']),
    patched: ['labels', 'properties', 'advertisedManifestTypes'],
    place: ['workspace'],
    verb: { field: 'workspace', verb: 'assign' },
    needs: ({ place }) => [`workspace/${workspaceOf(place)}`],
    fromPlace: (place) => ({ workspace: workspaceOf(place) }),
    placeOf: ({ workspace }) => ({ workspace }),
  },
  details: async ({ item, api }, signal) => {
    const rows = item.conditions.map(({ type, status, reason, message, lastTransitionTime }) => [
      type,
      status,
      timeCell(lastTransitionTime),
      reason,
      message,
    ]);
    const conditions =
      rows.length === 0 ? 'none\n' : renderTable(['TYPE', 'STATUS', 'SINCE', 'REASON', 'MESSAGE'], rows);
    return [
      { title: 'Conditions', text: conditions },
      await grantsSection({ api, place: { target: item.name } }, signal),
    ];
  },
});

/** Events, and readers of the alias alone, are not told of which target it is one. */
function connectionCell({ connection, aliasOf, conditions }: TargetResource): string {
  if (aliasOf !== undefined) return `alias of ${aliasOf}`;
  const isAlias = conditions.some(({ type, reason }) => type === 'ClusterIdentity' && reason === 'Alias');
  return isAlias ? 'alias' : connection.state;
}
