import { labelsCell, timeCell } from '../cells.ts';
import { defineKind } from '../kind.ts';
import { type Place, workspaceOf } from '../place.ts';
import { listSection } from '../sections.ts';
import { specSchema } from '../spec-schema.ts';
import { tokenKind } from './token-kind.ts';

export const serviceAccountKind = defineKind({
  name: 'serviceaccount',
  plural: 'service-accounts',
  short: 'sa',
  title: 'ServiceAccount',
  summary: 'identities of scripts and machines in a workspace',
  schema: async () => (await import('#protocol/api')).ServiceAccountSchema,
  takes: ['workspace'],
  nameOf: ({ name }) => name,
  columns: [
    { heading: 'NAME', cell: ({ name }) => name },
    { heading: 'WORKSPACE', cell: ({ workspace }) => workspace },
    { heading: 'STATE', cell: ({ disabled }) => (disabled ? 'disabled' : 'enabled') },
    { heading: 'CREATED', cell: ({ createTime }) => timeCell(createTime) },
    { heading: 'DISPLAY NAME', wide: true, cell: ({ displayName }) => displayName },
    { heading: 'LABELS', wide: true, cell: ({ labels }) => labelsCell(labels) },
  ],
  list: (place) => ({ path: homeOf(place) }),
  isAt: (item, place) => item.workspace === place.workspace,
  deletable: true,
  labelled: true,
  events: { changed: ['serviceAccount.created', 'serviceAccount.updated'], gone: ['serviceAccount.deleted'] },
  apply: {
    spec: async () => {
      const { NewServiceAccountSchema, ServiceAccountPatchSchema } = await import('#protocol/api');
      const { disabled } = ServiceAccountPatchSchema.properties;
      return await specSchema(NewServiceAccountSchema, ['name'], { disabled });
    },
    patched: ['displayName', 'labels', 'disabled'],
    place: ['workspace'],
    afterwards: ['disabled'],
    needs: ({ place }) => [`workspace/${workspaceOf(place)}`],
    placeOf: ({ workspace }) => ({ workspace }),
  },
  details: async ({ item: { name, workspace }, api }, signal) => {
    const place = { workspace, serviceAccount: name };
    return [await listSection('Tokens', { api, place, kind: tokenKind }, signal)];
  },
});

function homeOf(place: Place): readonly string[] {
  return ['workspaces', workspaceOf(place), 'service-accounts'];
}
