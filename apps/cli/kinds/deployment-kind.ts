import { readPages } from '../client/read-pages.ts';
import { printable } from '../output/printable.ts';
import { renderTable } from '../output/render-table.ts';
import { renderTargetsSection } from '../rollout/targets-section.ts';
import { labelsCell, timeCell } from './cells.ts';
import { deploymentState } from './deployment-state.ts';
import { defineKind } from './kind.ts';
import { type Place, workspaceOf } from './place.ts';
import { specSchema } from './spec-schema.ts';

/** Enough to find the targets that are not well in nearly all fleets. */
const READ = 5_000;

export const deploymentKind = defineKind({
  name: 'deployment',
  plural: 'deployments',
  short: 'deploy',
  title: 'Deployment',
  summary: 'content to deploy, to which targets, and how',
  schema: async () => (await import('#protocol/api')).DeploymentSchema,
  takes: ['workspace', 'all-workspaces', 'subtree'],
  nameOf: ({ name }) => name,
  columns: [
    { heading: 'NAME', cell: ({ name }) => name },
    { heading: 'WORKSPACE', cell: ({ workspace }) => workspace },
    { heading: 'REVISION', cell: ({ revision }) => String(revision) },
    { heading: 'AVAILABLE', cell: ({ status: { counts } }) => `${counts.available}/${counts.placed}` },
    { heading: 'STATE', cell: deploymentState },
    { heading: 'SINCE', cell: ({ status }) => timeCell(status.rollout?.since) },
    { heading: 'MANIFEST', wide: true, cell: ({ manifest }) => manifest.type },
    { heading: 'PLACEMENT', wide: true, cell: ({ placement }) => placement.map(({ type }) => type).join(',') },
    { heading: 'ROLLOUT', wide: true, cell: ({ rollout }) => rollout.type },
    { heading: 'GROUP', wide: true, cell: ({ owner }) => owner?.group },
    { heading: 'LABELS', wide: true, cell: ({ labels }) => labelsCell(labels) },
    { heading: 'CREATED', wide: true, cell: ({ createTime }) => timeCell(createTime) },
  ],
  list: ({ workspace, subtree }) =>
    workspace === undefined
      ? { path: ['deployments'] }
      : { path: ['workspaces', workspace, 'deployments'], query: { subtree: subtree || undefined } },
  home: (place: Place) => ['workspaces', workspaceOf(place), 'deployments'],
  isAt: (item, { workspace }) => workspace === undefined || item.workspace === workspace,
  deletable: true,
  labelled: true,
  events: {
    changed: ['deployment.created', 'deployment.updated', 'deployment.deleting', 'deployment.statusChanged'],
    gone: ['deployment.deleted'],
  },
  apply: {
    spec: async () => specSchema((await import('#protocol/api')).NewDeploymentSchema, ['name']),
    patched: [
      'labels',
      'manifest',
      'placement',
      'rollout',
      'healthRules',
      'driftPolicy',
      'namespace',
      'config',
      'rolloutState',
    ],
    typed: ['manifest', 'rollout'],
    place: ['workspace'],
    needs: ({ place }) => [`workspace/${workspaceOf(place)}`],
    // `rolloutState` is left out: applying a stored document should not resume a paused rollout.
    derived: ({ rolloutState }) => (rolloutState === 'running' ? ['rolloutState'] : []),
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
    const act = `fleetshift rollout status ${item.name} -w ${item.workspace}`;
    const call = { path: ['workspaces', item.workspace, 'deployments', item.name, 'targets'] };
    const schema = async () => (await import('#protocol/api')).DeploymentTargetSchema;
    const { items, more } = await readPages(api, { item: schema, call, limit: READ }, signal);
    return [
      { title: 'Conditions', text: conditions },
      { title: 'Targets', text: renderTargetsSection(items, more) },
      { title: 'Rollout by stage and target', text: `${printable(act)}\n` },
    ];
  },
});
