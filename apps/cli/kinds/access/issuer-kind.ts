import { timeCell } from '../cells.ts';
import { defineKind } from '../kind.ts';
import { specSchema } from '../spec-schema.ts';

export const issuerKind = defineKind({
  name: 'issuer',
  plural: 'issuers',
  title: 'Issuer',
  summary: 'identity providers that the platform trusts',
  schema: async () => (await import('#protocol/api')).IssuerSchema,
  takes: [],
  nameOf: ({ name }) => name,
  columns: [
    { heading: 'NAME', cell: ({ name }) => name },
    { heading: 'URL', cell: ({ url }) => url },
    { heading: 'MODE', cell: ({ mode }) => mode },
    { heading: 'CLIENT', cell: ({ clientId }) => clientId },
    { heading: 'SOURCE', cell: ({ source }) => source },
    { heading: 'AUDIENCES', wide: true, cell: ({ audiences }) => audiences.join(',') },
    { heading: 'CREATED', wide: true, cell: ({ createTime }) => timeCell(createTime) },
  ],
  list: () => ({ path: ['issuers'] }),
  deletable: true,
  events: { changed: ['issuer.created', 'issuer.updated'], gone: ['issuer.deleted'] },
  apply: {
    spec: async () => specSchema((await import('#protocol/api')).NewIssuerSchema, ['name']),
    patched: [
      'displayName',
      'clientId',
      'cliClientId',
      'clientSecret',
      'audiences',
      'claims',
      'scopes',
      'clockSkew',
      'ca',
    ],
    replaced: ['claims'],
    hidden: ['clientSecret'],
    needs: () => [],
  },
});
