import { FleetletSchema } from '#protocol/api';
import { timeCell } from './cells.ts';
import { defineKind } from './kind.ts';

export const fleetletKind = defineKind({
  name: 'fleetlet',
  plural: 'fleetlets',
  title: 'Fleetlet',
  summary: 'who has enrolled, and which targets it speaks for',
  schema: FleetletSchema,
  takes: [],
  nameOf: ({ name }) => name,
  columns: [
    { heading: 'NAME', cell: ({ name }) => name },
    { heading: 'WORKSPACE', cell: ({ workspace }) => workspace },
    { heading: 'STATE', cell: ({ state }) => state },
    { heading: 'TARGETS', cell: ({ targets }) => targets.join(',') || '-' },
    { heading: 'CERTIFICATE UNTIL', cell: ({ certificate }) => timeCell(certificate?.notAfter) },
    { heading: 'SERIAL', wide: true, cell: ({ certificate }) => certificate?.serial },
    { heading: 'UID', wide: true, cell: ({ uid }) => uid },
    { heading: 'CREATED', wide: true, cell: ({ createTime }) => timeCell(createTime) },
  ],
  list: () => ({ path: ['fleetlets'] }),
  deletable: true,
  events: { changed: ['fleetlet.created', 'fleetlet.updated', 'fleetlet.revoked'], gone: ['fleetlet.deleted'] },
});
