import { UsageError } from '../command.ts';
import { labelsCell, timeCell } from './cells.ts';
import { defineKind } from './kind.ts';

export const indexedKind = defineKind({
  name: 'indexed',
  plural: 'indexed',
  title: 'Indexed',
  summary: 'indexed objects of a target; requires --target',
  schema: async () => (await import('#protocol/api')).IndexedObjectSchema,
  takes: ['target'],
  columns: [
    { heading: 'KIND', cell: ({ kind }) => kind },
    { heading: 'NAMESPACE', cell: ({ namespace }) => namespace ?? '-' },
    { heading: 'NAME', cell: ({ name }) => name },
    { heading: 'HEALTH', cell: ({ health }) => health },
    { heading: 'CREATED', cell: ({ createTime }) => timeCell(createTime) },
    { heading: 'DEPLOYMENT', wide: true, cell: ({ deployment }) => deployment ?? '-' },
    { heading: 'LABELS', wide: true, cell: ({ labels }) => labelsCell(labels) },
    { heading: 'UPDATED', wide: true, cell: ({ updateTime }) => timeCell(updateTime) },
  ],
  list: ({ target }) => {
    if (target === undefined) throw new UsageError('name the target with --target');
    return { path: ['targets', target, 'index'] };
  },
});
