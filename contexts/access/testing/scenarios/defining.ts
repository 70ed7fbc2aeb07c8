import { type Scenario, uidOf } from '../access-api.ts';
import { DENIED, defined, given, granting, METRICS, may, refused } from './steps.ts';

const SCHEMA = '/v1/permission-schemas/metrics-query';
const changed = { status: 200, events: ['permissionSchema.updated root'] };
const tenant = (its: object) => ({
  ...METRICS,
  attributesSchema: { ...METRICS.attributesSchema, properties: { tenant: its } },
});

export const DEFINING: readonly Scenario[] = [
  {
    why: 'a permission is defined once, changed, and shown as it is',
    steps: [
      defined('metrics-query'),
      {
        as: 'admin',
        call: `GET ${SCHEMA}`,
        want: {
          status: 200,
          body: {
            name: 'metrics-query',
            uid: uidOf(1_001),
            ...METRICS,
            createTime: '2030-01-01T00:00:01.000Z',
            updateTime: '2030-01-01T00:00:01.000Z',
            generation: 1,
            observedGeneration: 1,
            etag: '1-000000001001',
          },
        },
      },
      { as: 'admin', call: `PUT ${SCHEMA}`, body: METRICS, want: { status: 200, part: { etag: '1-000000001001' } } },
      {
        as: 'admin',
        call: `PUT ${SCHEMA}`,
        body: { ...METRICS, description: 'Query metrics' },
        headers: { 'if-match': '"{etag}"' },
        want: { ...changed, part: { generation: 2, description: 'Query metrics' } },
      },
      {
        as: 'admin',
        call: `PUT ${SCHEMA}`,
        body: METRICS,
        headers: { 'if-match': '"1-000000001001"' },
        want: refused(412, 'preconditionFailed'),
      },
      { as: 'admin', call: 'GET /v1/permission-schemas', want: { status: 200, names: ['metrics-query'] } },
      { as: 'admin', call: `DELETE ${SCHEMA}`, want: { status: 204, events: ['permissionSchema.deleted root'] } },
      { as: 'admin', call: `GET ${SCHEMA}`, want: refused(404, 'permissionSchemaNotFound') },
      { as: 'admin', call: `DELETE ${SCHEMA}`, want: refused(404, 'permissionSchemaNotFound') },
    ],
  },
  {
    why: 'which roles imply it takes effect at once',
    steps: [
      ...given('user:bob viewer workspaces/web'),
      defined('metrics-query'),
      may('bob', 'metrics-query', 'targets/web-1', false),
      {
        as: 'admin',
        call: `PUT ${SCHEMA}`,
        body: { ...METRICS, roles: [{ role: 'viewer', attributes: { tenant: 'some' } }] },
        want: changed,
      },
      may('bob', 'metrics-query', 'targets/web-1', true),
      may('bob', 'metrics-query', 'targets/apac-1', false),
    ],
  },
  {
    why: 'a change that existing grants do not fit is refused with their names, and so is a deletion',
    steps: [
      defined('metrics-query'),
      granting({
        on: 'workspaces/web',
        to: 'user:bob',
        body: { name: 'bob', permission: 'metrics-query', attributes: { tenant: 'b' } },
      }),
      granting({
        on: 'targets/apac-1',
        to: 'user:bob',
        body: { name: 'long', permission: 'metrics-query', attributes: { tenant: 'longer' } },
      }),
      {
        as: 'admin',
        call: `PUT ${SCHEMA}`,
        body: tenant({ type: 'string', maxLength: 3 }),
        want: { ...refused(409, 'grantsInTheWay'), part: { count: 1, grants: ['targets/apac-1/grants/long'] } },
      },
      { as: 'admin', call: `PUT ${SCHEMA}`, body: tenant({ type: 'string', maxLength: 6 }), want: changed },
      {
        as: 'admin',
        call: `DELETE ${SCHEMA}`,
        want: {
          ...refused(409, 'grantsInTheWay'),
          part: { count: 2, grants: ['workspaces/web/grants/bob', 'targets/apac-1/grants/long'] },
        },
      },
    ],
  },
  {
    why: 'a schema is refused with the place of what is wrong in it',
    steps: [
      {
        as: 'admin',
        call: `PUT ${SCHEMA}`,
        body: tenant({ type: 'string', pattern: '(a+)+$' }),
        want: refused(400, 'invalidPermissionSchema', ['/attributesSchema/properties/tenant/pattern']),
      },
      {
        as: 'admin',
        call: `PUT ${SCHEMA}`,
        body: { ...METRICS, attributesSchema: { type: 'string' } },
        want: refused(400, 'invalidPermissionSchema', ['/attributesSchema/type']),
      },
      {
        as: 'admin',
        call: `PUT ${SCHEMA}`,
        body: tenant({ type: 'text' }),
        want: refused(400, 'invalidPermissionSchema', ['/attributesSchema']),
      },
      {
        as: 'admin',
        call: `PUT ${SCHEMA}`,
        body: { ...METRICS, roles: [{ role: 'admin', attributes: {} }] },
        want: refused(400, 'invalidPermissionSchema', ['/roles/0/attributes/tenant']),
      },
      {
        as: 'admin',
        call: `PUT ${SCHEMA}`,
        body: { ...METRICS, roles: [METRICS.roles[0], METRICS.roles[0]] },
        want: refused(400, 'invalidPermissionSchema', ['/roles/1/role']),
      },
      {
        as: 'admin',
        call: 'PUT /v1/permission-schemas/workspaces.read',
        body: METRICS,
        want: refused(400, 'validationFailed', ['path/permissionSchema']),
      },
    ],
  },
  {
    why: 'it takes admin on the root',
    steps: [
      ...given('user:bob admin workspaces/emea', 'user:alice viewer workspaces/root'),
      { as: 'bob', call: `PUT ${SCHEMA}`, body: METRICS, want: DENIED },
      { as: 'alice', call: 'GET /v1/permission-schemas', want: DENIED },
      { as: 'adminInWeb', call: `DELETE ${SCHEMA}`, want: DENIED },
    ],
  },
];
