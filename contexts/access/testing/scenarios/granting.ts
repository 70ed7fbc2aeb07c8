import { type Scenario, uidOf } from '../access-api.ts';
import { DENIED, defined, given, granting, HIDDEN, may, refused, subject } from './steps.ts';

const WEB = '/v1/workspaces/web/grants';

export const GRANTING: readonly Scenario[] = [
  {
    why: 'a role holds on what it was granted on and below, and not beside or above, from the next request on',
    steps: [
      may('alice', 'targets.read', 'targets/web-1', false),
      ...given('user:alice viewer workspaces/emea'),
      may('alice', 'workspaces.read', 'workspaces/emea', true),
      may('alice', 'targets.read', 'targets/web-1', true),
      may('alice', 'workspaces.read', 'workspaces/root', false),
      may('alice', 'workspaces.read', 'workspaces/apac', false),
      may('alice', 'targets.update', 'targets/web-1', false),
      may('bob', 'workspaces.read', 'workspaces/emea', false),
    ],
  },
  {
    why: 'a grant is shown as it was made, and can be taken back',
    steps: [
      ...given('group:ops deployer targets/web-1'),
      {
        as: 'admin',
        call: 'GET /v1/targets/web-1/grants/deployer-ops',
        want: {
          status: 200,
          body: {
            name: 'deployer-ops',
            uid: uidOf(1_001),
            resource: 'targets/web-1',
            resourceUid: uidOf(103),
            subject: subject('group:ops'),
            role: 'deployer',
            grantedBy: 'admin:admin',
            createTime: '2030-01-01T00:00:01.000Z',
            updateTime: '2030-01-01T00:00:01.000Z',
            generation: 1,
            observedGeneration: 1,
            etag: '1-000000001001',
          },
        },
      },
      may('alice', 'targets.read', 'targets/web-1', true),
      {
        as: 'admin',
        call: 'DELETE /v1/targets/web-1/grants/deployer-ops',
        headers: { 'if-match': '"1-000000000000"' },
        want: refused(412, 'preconditionFailed'),
      },
      {
        as: 'admin',
        call: 'DELETE /v1/targets/web-1/grants/deployer-ops',
        headers: { 'if-match': '"1-000000001001"' },
        want: { status: 204, events: ['grant.deleted web'] },
      },
      may('alice', 'targets.read', 'targets/web-1', false),
      { as: 'admin', call: 'GET /v1/targets/web-1/grants/deployer-ops', want: refused(404, 'grantNotFound') },
    ],
  },
  {
    why: 'one without a name is called by its uid',
    steps: [
      granting({ on: 'workspaces/web', to: 'user:bob', body: { role: 'viewer' } }),
      { as: 'admin', call: `GET ${WEB}/${uidOf(1_001)}`, want: { status: 200 } },
    ],
  },
  {
    why: 'what is wrong is said with its place',
    steps: [
      granting({
        on: 'workspaces/web',
        to: 'user:bob',
        body: { role: 'king' },
        want: refused(400, 'validationFailed', ['/role']),
      }),
      granting({ on: 'workspaces/web', to: 'user:bob', body: {}, want: refused(400, 'invalidGrant', ['/role']) }),
      granting({
        on: 'workspaces/web',
        to: 'user: bob',
        body: { role: 'viewer', permission: 'metrics-query' },
        want: refused(400, 'invalidGrant', ['/subject/id', '/permission']),
      }),
      granting({
        on: 'workspaces/web',
        to: 'user:bob',
        body: { role: 'viewer', attributes: {} },
        want: refused(400, 'invalidGrant', ['/attributes']),
      }),
      granting({
        on: 'workspaces/web',
        to: 'user:bob',
        body: { permission: 'metrics-query' },
        want: refused(400, 'unknownPermission', ['/permission']),
      }),
      granting({ on: 'workspaces/nowhere', to: 'user:bob', body: { role: 'viewer' }, want: HIDDEN }),
    ],
  },
  {
    why: 'neither a name nor the same gift is given twice on one resource',
    steps: [
      ...given('user:bob viewer workspaces/web'),
      granting({
        on: 'workspaces/web',
        to: 'user:bob',
        body: { name: 'again', role: 'viewer' },
        want: { status: 409, code: 'grantExists', part: { grant: 'viewer-bob' } },
      }),
      granting({
        on: 'workspaces/web',
        to: 'user:alice',
        body: { name: 'viewer-bob', role: 'viewer' },
        want: refused(409, 'grantNameTaken', ['/name']),
      }),
      ...given('user:bob viewer workspaces/emea', 'user:bob admin workspaces/web'),
    ],
  },
  {
    why: 'a dry run refuses the same and leaves nothing, not even in memory',
    steps: [
      {
        as: 'admin',
        call: `POST ${WEB}?dryRun=true`,
        body: { subject: subject('user:bob'), role: 'viewer' },
        want: { status: 201 },
      },
      may('bob', 'workspaces.read', 'workspaces/web', false),
      ...given('user:bob viewer workspaces/web'),
      { as: 'admin', call: `DELETE ${WEB}/viewer-bob?dryRun=true`, want: { status: 204 } },
      may('bob', 'workspaces.read', 'workspaces/web', true),
    ],
  },
  {
    why: 'it takes admin on the resource to see or change grants there, and what is hidden does not exist',
    steps: [
      ...given('user:alice viewer workspaces/web', 'user:bob admin workspaces/web'),
      { as: 'alice', call: `GET ${WEB}`, want: DENIED },
      { as: 'alice', call: 'GET /v1/workspaces/emea/grants', want: HIDDEN },
      { as: 'alice', call: 'GET /v1/workspaces/nowhere/grants', want: HIDDEN },
      { as: 'bob', call: 'GET /v1/targets/apac-1/grants/x', want: HIDDEN },
      { as: 'fleetlet', call: `GET ${WEB}`, want: HIDDEN },
      { as: 'bob', call: `DELETE ${WEB}/viewer-alice`, want: { status: 204, events: ['grant.deleted web'] } },
      granting({ as: 'bob', on: 'targets/web-1', to: 'user:alice', body: { role: 'admin' } }),
      granting({ as: 'bob', on: 'workspaces/emea', to: 'user:alice', body: { role: 'viewer' }, want: HIDDEN }),
    ],
  },
  {
    why: 'a list has what is granted there, and what flows down as far as the caller may read it',
    steps: [
      ...given(
        'user:bob admin workspaces/emea',
        'group:ops viewer workspaces/root',
        'user:alice viewer workspaces/web',
      ),
      { as: 'bob', call: `GET ${WEB}`, want: { status: 200, names: ['viewer-alice'] } },
      { as: 'bob', call: `GET ${WEB}?inherited=true`, want: { status: 200, names: ['admin-bob', 'viewer-alice'] } },
      {
        as: 'admin',
        call: `GET ${WEB}?inherited=true&pageSize=2`,
        want: { status: 200, names: ['admin-bob', 'viewer-alice'] },
      },
      {
        as: 'admin',
        call: `GET ${WEB}?inherited=true&pageSize=2&pageToken={nextPageToken}`,
        want: { status: 200, names: ['viewer-ops'] },
      },
      { as: 'bob', call: `GET ${WEB}?filter=role=="admin"`, want: { status: 200, names: [] } },
      { as: 'bob', call: `DELETE ${WEB}/admin-bob`, want: refused(404, 'grantNotFound') },
    ],
  },
  {
    why: 'nobody grants more than his token can do',
    steps: [
      granting({ as: 'adminInWeb', on: 'targets/web-1', to: 'user:bob', body: { role: 'admin' } }),
      granting({ as: 'adminInWeb', on: 'workspaces/emea', to: 'user:bob', body: { role: 'viewer' }, want: HIDDEN }),
      granting({ as: 'adminAsViewer', on: 'workspaces/web', to: 'user:bob', body: { role: 'viewer' }, want: DENIED }),
    ],
  },
  {
    why: 'the last admin of the root stays when nobody could come in without a grant',
    lastResort: false,
    steps: [
      ...given('user:alice admin workspaces/root', 'user:bob admin workspaces/root', 'user:bob admin workspaces/web'),
      {
        as: 'alice',
        call: 'DELETE /v1/workspaces/root/grants/admin-bob',
        want: { status: 204, events: ['grant.deleted root'] },
      },
      { as: 'alice', call: 'DELETE /v1/workspaces/root/grants/admin-alice', want: refused(409, 'lastAdmin') },
      { as: 'alice', call: `DELETE ${WEB}/admin-bob`, want: { status: 204, events: ['grant.deleted web'] } },
    ],
  },
  {
    why: 'the last admin of the root may go as long as somebody could come in without a grant',
    steps: [
      ...given('user:alice admin workspaces/root'),
      {
        as: 'alice',
        call: 'DELETE /v1/workspaces/root/grants/admin-alice',
        want: { status: 204, events: ['grant.deleted root'] },
      },
      { as: 'alice', call: 'GET /v1/workspaces/root/grants', want: HIDDEN },
    ],
  },
  {
    why: 'permissions of addons are granted with attributes that fit their schema',
    steps: [
      defined('metrics-query'),
      granting({
        on: 'workspaces/web',
        to: 'user:bob',
        body: { permission: 'metrics-query' },
        want: refused(400, 'invalidGrant', ['/attributes/tenant']),
      }),
      granting({
        on: 'workspaces/web',
        to: 'user:bob',
        body: { permission: 'metrics-query', attributes: { tenant: 'much-too-long', x: 1 } },
        want: refused(400, 'invalidGrant', ['/attributes/x', '/attributes/tenant']),
      }),
      granting({
        on: 'workspaces/web',
        to: 'user:bob',
        body: { permission: 'metrics-query', attributes: { tenant: 'b' } },
      }),
      may('bob', 'metrics-query', 'targets/web-1', true),
      may('bob', 'metrics-query', 'targets/emea-1', false),
      may('bob', 'targets.read', 'targets/web-1', false),
    ],
  },
  {
    why: 'an admin grants a permission with the values that he has it with, and no others, unless he defines permissions',
    steps: [
      defined('metrics-query'),
      ...given('user:alice admin workspaces/web'),
      granting({
        as: 'alice',
        on: 'workspaces/web',
        to: 'user:bob',
        body: { permission: 'metrics-query', attributes: { tenant: 'b' } },
        want: refused(403, 'cannotGrant'),
      }),
      granting({
        as: 'alice',
        on: 'workspaces/web',
        to: 'user:bob',
        body: { permission: 'metrics-query', attributes: { tenant: 'all' } },
      }),
      granting({
        as: 'adminAsAdmin',
        on: 'workspaces/web',
        to: 'user:bob',
        body: { permission: 'metrics-query', attributes: { tenant: 'b' } },
        want: refused(403, 'cannotGrant'),
      }),
      granting({
        on: 'workspaces/web',
        to: 'user:bob',
        body: { permission: 'metrics-query', attributes: { tenant: 'b' } },
      }),
    ],
  },
];
