import { subjectCell, timeCell } from '../cells.ts';
import { defineKind } from '../kind.ts';
import { type Place, workspaceOf } from '../place.ts';
import { specSchema } from '../spec-schema.ts';

export const grantKind = defineKind({
  name: 'grant',
  plural: 'grants',
  title: 'Grant',
  summary: 'permissions of subjects on a workspace or a target',
  schema: async () => (await import('#protocol/api')).GrantSchema,
  takes: ['workspace', 'target', 'inherited'],
  nameOf: ({ name }) => name,
  columns: [
    { heading: 'NAME', cell: ({ name }) => name },
    { heading: 'SUBJECT', cell: ({ subject }) => subjectCell(subject) },
    { heading: 'GRANTED', cell: ({ role, permission }) => role ?? permission },
    { heading: 'ON', cell: ({ resource }) => resource },
    { heading: 'ATTRIBUTES', wide: true, cell: ({ attributes }) => attributes && JSON.stringify(attributes) },
    { heading: 'BY', wide: true, cell: ({ grantedBy }) => grantedBy },
    { heading: 'CREATED', wide: true, cell: ({ createTime }) => timeCell(createTime) },
  ],
  list: (place) => ({ path: homeOf(place), query: { inherited: place.inherited || undefined } }),
  home: homeOf,
  isAt: ({ resource }, place) => resource === homeOf(place).slice(0, 2).join('/'),
  deletable: true,
  events: { changed: ['grant.created'], gone: ['grant.deleted'] },
  apply: {
    spec: async () => specSchema((await import('#protocol/api')).NewGrantSchema, ['name']),
    patched: [],
    place: ['workspace', 'target'],
    needs: ({ place, spec }) => {
      const permission = spec['permission'];
      const schema = typeof permission === 'string' ? [`permissionschema/${permission}`] : [];
      return [place.target === undefined ? `workspace/${workspaceOf(place)}` : `target/${place.target}`, ...schema];
    },
    placeOf: ({ resource }) => {
      const [plural, name = ''] = resource.split('/');
      return plural === 'targets' ? { target: name } : { workspace: name };
    },
  },
});

function homeOf(place: Place): readonly string[] {
  if (place.target !== undefined) return ['targets', place.target, 'grants'];
  return ['workspaces', workspaceOf(place), 'grants'];
}
