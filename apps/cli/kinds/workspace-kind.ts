import { labelsCell, timeCell } from './cells.ts';
import { defineKind, type Kind } from './kind.ts';
import { grantsSection, listSection } from './sections.ts';
import { specSchema } from './spec-schema.ts';
import { targetKind } from './target-kind.ts';

export const workspaceKind: Kind = defineKind({
  name: 'workspace',
  plural: 'workspaces',
  short: 'ws',
  title: 'Workspace',
  summary: 'the tree: folders, domains, projects',
  schema: async () => (await import('#protocol/api')).WorkspaceSchema,
  takes: ['workspace', 'all-workspaces', 'subtree'],
  nameOf: ({ name }) => name,
  columns: [
    { heading: 'NAME', cell: ({ name }) => name },
    { heading: 'KIND', cell: ({ kind }) => kind },
    { heading: 'PARENT', cell: ({ parent }) => parent },
    { heading: 'REGION', cell: ({ region }) => region },
    { heading: 'CREATED', cell: ({ createTime }) => timeCell(createTime) },
    { heading: 'DISPLAY NAME', wide: true, cell: ({ displayName }) => displayName },
    { heading: 'SLUG', wide: true, cell: ({ slug }) => slug },
    { heading: 'LABELS', wide: true, cell: ({ labels }) => labelsCell(labels) },
  ],
  // A workspace has a parent, not a workspace: the one of the context is ignored, and an explicit -w selects the
  // parent.
  list: ({ workspace, workspaceIsSaid, subtree }) => ({
    path: ['workspaces'],
    query: workspaceIsSaid ? { parent: workspace, subtree: subtree || undefined } : {},
  }),
  isAt: ({ parent }, { workspace, workspaceIsSaid }) => !workspaceIsSaid || parent === workspace,
  deletable: true,
  labelled: true,
  events: {
    changed: ['workspace.created', 'workspace.updated', 'workspace.moved'],
    gone: ['workspace.deleted'],
  },
  apply: {
    spec: async () => specSchema((await import('#protocol/api')).NewWorkspaceSchema, ['name']),
    patched: ['displayName', 'labels', 'region', 'policy'],
    verb: { field: 'parent', verb: 'move', answer: 'workspace' },
    derived: ({ kind }) => (kind === 'project' ? ['region'] : []),
    needs: ({ spec }) => (typeof spec['parent'] === 'string' ? [`workspace/${spec['parent']}`] : []),
  },
  details: async ({ item: { name }, api }, signal) => {
    const inside = { api, place: { workspace: name, workspaceIsSaid: true } };
    return [
      await listSection('Workspaces in it', { ...inside, kind: workspaceKind }, signal),
      await listSection('Targets in it', { ...inside, kind: targetKind }, signal),
      await grantsSection({ api, place: { workspace: name } }, signal),
    ];
  },
});
