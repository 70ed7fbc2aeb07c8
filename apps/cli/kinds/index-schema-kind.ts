import { timeCell } from './cells.ts';
import { defineKind } from './kind.ts';
import { specSchema } from './spec-schema.ts';

const SHOWN = 3;

export const indexSchemaKind = defineKind({
  name: 'indexschema',
  plural: 'index-schemas',
  title: 'IndexSchema',
  summary: 'additional fields to index: for all targets, or with -w for those of a workspace',
  schema: async () => (await import('#protocol/api')).IndexSchemaSchema,
  takes: ['workspace'],
  nameOf: ({ name }) => name,
  columns: [
    { heading: 'NAME', cell: ({ name }) => name },
    { heading: 'WORKSPACE', cell: ({ workspace }) => workspace },
    { heading: 'TARGET TYPE', cell: ({ targetType }) => targetType },
    { heading: 'KINDS', cell: ({ kinds }) => someOf(kinds.map(({ type }) => type)) },
    { heading: 'UPDATED', cell: ({ updateTime }) => timeCell(updateTime) },
    { heading: 'UID', wide: true, cell: ({ uid }) => uid },
  ],
  // Schemas of the root apply to all targets.
  list: ({ workspace = 'root' }) => ({
    path: workspace === 'root' ? ['index-schemas'] : ['workspaces', workspace, 'index-schemas'],
  }),
  isAt: (item, { workspace = 'root' }) => item.workspace === workspace,
  deletable: true,
  events: {
    changed: ['indexSchema.created', 'indexSchema.updated'],
    gone: ['indexSchema.deleted'],
  },
  apply: {
    spec: async () => specSchema((await import('#protocol/api')).PutIndexSchemaSchema, []),
    patched: [],
    put: true,
    place: ['workspace'],
    needs: ({ place: { workspace } }) => (workspace === undefined ? [] : [`workspace/${workspace}`]),
    placeOf: ({ workspace }) => ({ workspace }),
  },
});

function someOf(types: readonly string[]): string {
  const more = types.length > SHOWN ? ` and ${types.length - SHOWN} more` : '';
  return `${types.slice(0, SHOWN).join(',')}${more}`;
}
