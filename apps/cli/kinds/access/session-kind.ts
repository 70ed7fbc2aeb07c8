import { timeCell } from '../cells.ts';
import { defineKind } from '../kind.ts';

export const sessionKind = defineKind({
  name: 'session',
  plural: 'sessions',
  title: 'Session',
  summary: 'your own logins; deleting one ends it at once',
  schema: async () => (await import('#protocol/api')).SessionSchema,
  takes: [],
  nameOf: ({ uid }) => uid,
  columns: [
    { heading: 'UID', cell: ({ uid }) => uid },
    { heading: 'KIND', cell: ({ kind, current }) => (current ? `${kind} (this one)` : kind) },
    { heading: 'ISSUER', cell: ({ issuer }) => issuer },
    { heading: 'FROM', cell: ({ address }) => address },
    { heading: 'LAST USED', cell: ({ lastUsedTime }) => timeCell(lastUsedTime) },
    { heading: 'EXPIRES', cell: ({ expireTime }) => timeCell(expireTime) },
    { heading: 'WITH', wide: true, cell: ({ userAgent }) => userAgent },
  ],
  list: () => ({ path: ['sessions'] }),
  onlyListed: true,
  deletable: true,
});
