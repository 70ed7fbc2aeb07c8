import {
  created,
  given,
  gone,
  got,
  patch,
  post,
  refused,
  remove,
  resource,
  type Scenario,
  updated,
  verb,
} from './steps.ts';

const FIRST = { 'if-match': '"1-000000000001"' };
const SECOND = { 'if-match': '"2-000000000001"' };

export const CHANGING: readonly Scenario[] = [
  {
    why: 'a setting that is made elsewhere now is refused as a property, and can be removed',
    steps: [
      ...given('prod-1'),
      ...['passthrough', 'impersonate', { any: 1 }].map((apiAuthentication) =>
        patch(
          'prod-1',
          { body: { properties: { apiAuthentication } } },
          refused(400, 'invalidTarget', '/properties/apiAuthentication'),
        ),
      ),
      patch('prod-1', { body: { properties: { apiAuthentication: null } } }, { status: 200 }),
      patch(
        'prod-1',
        { body: { properties: { mine: { apiAuthentication: 'x' } } } },
        updated('prod-1', 'target.propertiesChanged'),
      ),
      post(
        {
          body: {
            name: 'prod-2',
            type: 'kubernetes',
            workspace: 'emea',
            properties: { apiAuthentication: 'passthrough' },
          },
        },
        refused(400, 'invalidTarget', '/properties/apiAuthentication'),
      ),
    ],
  },
  {
    why: 'a patch changes what it names and the etag, and tells placement what it may care for',
    steps: [
      ...given('prod-1'),
      patch(
        'prod-1',
        { body: { labels: { env: 'prod' } } },
        {
          ...updated('prod-1', 'target.placementChanged'),
          resource: resource({ name: 'prod-1', labels: { env: 'prod' }, step: 2, version: 2 }),
        },
      ),
      patch(
        'prod-1',
        { body: { properties: { a: { b: 1, c: 2 }, d: 3 } } },
        { ...updated('prod-1', 'target.propertiesChanged'), has: { properties: { a: { b: 1, c: 2 }, d: 3 } } },
      ),
      patch(
        'prod-1',
        { body: { properties: { a: { b: null, e: 4 }, d: null } } },
        {
          ...updated('prod-1', 'target.propertiesChanged'),
          has: { properties: { a: { c: 2, e: 4 } }, labels: { env: 'prod' } },
        },
      ),
      patch(
        'prod-1',
        { body: { advertisedManifestTypes: ['helm'] } },
        { ...updated('prod-1', 'target.placementChanged'), has: { advertisedManifestTypes: ['helm'] } },
      ),
      patch(
        'prod-1',
        { body: { labels: null, properties: null, advertisedManifestTypes: null } },
        {
          ...updated('prod-1', 'target.placementChanged', 'target.propertiesChanged'),
          resource: resource({ name: 'prod-1', step: 6, version: 6 }),
        },
      ),
    ],
  },
  {
    why: 'a patch that changes nothing keeps the etag and is not announced, and a stale one is refused',
    steps: [
      ...given('prod-1'),
      patch(
        'prod-1',
        { body: { labels: { a: null }, properties: {} } },
        { status: 200, resource: resource({ name: 'prod-1' }) },
      ),
      patch('prod-1', { body: { labels: { a: '1' } }, headers: FIRST }, updated('prod-1', 'target.placementChanged')),
      patch('prod-1', { body: { labels: { a: '1' } }, headers: FIRST }, refused(412, 'preconditionFailed')),
      patch('prod-1', { query: '?dryRun=true', body: { labels: null } }, { status: 200, has: { labels: {} } }),
      got('prod-1', { labels: { a: '1' } }),
      patch('prod-1', { body: { labels: { 'agent.fleetshift.io/a': 'b' } } }, refused(400, 'invalidTarget')),
      patch('prod-1', { body: { workspace: 'web' } }, refused(400, 'validationFailed', '/workspace')),
      patch('nobody', { body: {} }, refused(404, 'targetNotFound')),
    ],
  },
  {
    why: 'an assignment leaves one workspace for another in one step, and both sides are told',
    steps: [
      ...given('prod-1'),
      verb(
        'prod-1:assign',
        { body: { workspace: 'web' }, headers: FIRST },
        {
          status: 200,
          resource: resource({ name: 'prod-1', workspace: 'web', step: 2, version: 2 }),
          events: ['target.removed prod-1 in root', 'target.assigned prod-1 in web', 'target.updated prod-1 in web'],
        },
      ),
      verb('prod-1:assign', { body: { workspace: 'web' } }, { status: 200, has: { generation: 2 } }),
      verb('prod-1:assign', { body: { workspace: 'root' }, headers: FIRST }, refused(412, 'preconditionFailed')),
      verb(
        'prod-1:assign',
        { query: '?dryRun=true', body: { workspace: 'root' } },
        { status: 200, has: { workspace: 'root' } },
      ),
      got('prod-1', { workspace: 'web' }),
      verb('prod-1:assign', { body: { workspace: 'nobody' } }, refused(400, 'noSuchWorkspace', '/workspace')),
      verb('prod-1:assign', { body: { workspace: 'locked' } }, refused(403, 'permissionDenied')),
      verb('nobody:assign', { body: { workspace: 'web' } }, refused(404, 'targetNotFound')),
    ],
  },
  {
    why: 'the workspace that it leaves is asked too',
    steps: [
      ...given('prod-1 in closed'),
      verb('prod-1:assign', { body: { workspace: 'web' } }, refused(403, 'permissionDenied')),
      got('prod-1', { workspace: 'closed' }),
    ],
  },
  {
    why: 'a target is cordoned and uncordoned, as often as one likes',
    steps: [
      ...given('prod-1'),
      verb(
        'prod-1:cordon',
        { headers: FIRST },
        { ...updated('prod-1', 'target.placementChanged'), has: { lifecycle: 'Cordoned', generation: 2 } },
      ),
      verb('prod-1:cordon', { headers: SECOND }, { status: 200, has: { generation: 2 } }),
      verb('prod-1:uncordon', { query: '?dryRun=true' }, { status: 200, has: { lifecycle: 'Active' } }),
      got('prod-1', { lifecycle: 'Cordoned' }),
      verb('prod-1:uncordon', {}, { ...updated('prod-1', 'target.placementChanged'), has: { lifecycle: 'Active' } }),
      verb('nobody:cordon', {}, refused(404, 'targetNotFound')),
    ],
  },
  {
    why: 'a target that is deleted is gone, and its name is free for another one',
    steps: [
      ...given('prod-1'),
      remove('prod-1', { query: '?dryRun=true' }, { status: 204 }),
      remove('prod-1', { headers: FIRST }, { status: 204, events: ['target.deleted prod-1 in root'] }),
      gone('prod-1'),
      remove('prod-1', {}, refused(404, 'targetNotFound')),
      post({ body: { name: 'prod-1', type: 'directory', workspace: 'root' } }, created('prod-1')),
      remove('prod-1', { headers: FIRST }, refused(412, 'preconditionFailed')),
    ],
  },
];
