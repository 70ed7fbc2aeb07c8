import { timeCell } from './cells.ts';
import { defineKind } from './kind.ts';

export const fleetletKind = defineKind({
  name: 'fleetlet',
  plural: 'fleetlets',
  title: 'Fleetlet',
  summary: 'enrolled fleetlets, and the targets that they serve',
  schema: async () => (await import('#protocol/api')).FleetletSchema,
  takes: [],
  nameOf: ({ name }) => name,
  columns: [
    { heading: 'NAME', cell: ({ name }) => name },
    { heading: 'WORKSPACE', cell: ({ workspace }) => workspace },
    { heading: 'STATE', cell: ({ state }) => state },
    { heading: 'TARGETS', cell: ({ targets }) => someOf(targets) },
    { heading: 'CERTIFICATE UNTIL', cell: ({ certificate }) => timeCell(certificate?.notAfter) },
    { heading: 'SERIAL', wide: true, cell: ({ certificate }) => certificate?.serial },
    { heading: 'UID', wide: true, cell: ({ uid }) => uid },
    { heading: 'CREATED', wide: true, cell: ({ createTime }) => timeCell(createTime) },
  ],
  list: () => ({ path: ['fleetlets'] }),
  deletable: true,
  events: { changed: ['fleetlet.created', 'fleetlet.updated', 'fleetlet.revoked'], gone: ['fleetlet.deleted'] },
});

const SHOWN = 3;

/** There may be a thousand targets: shows the first, and how many more there are. */
function someOf(targets: readonly string[]): string {
  if (targets.length === 0) return '-';
  const more = targets.length > SHOWN ? ` and ${targets.length - SHOWN} more` : '';
  return `${targets.slice(0, SHOWN).join(',')}${more}`;
}
