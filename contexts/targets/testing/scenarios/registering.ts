import { ALL, created, given, gone, listed, post, refused, resource, type Scenario } from './steps.ts';

const KEY = { 'idempotency-key': 'k1' };
const draft = { name: 'prod-1', type: 'kubernetes', workspace: 'root' };

export const REGISTERING: readonly Scenario[] = [
  {
    why: 'a name, a type and a workspace are enough',
    steps: [
      post(
        { body: draft },
        {
          ...created('prod-1'),
          resource: resource({ name: 'prod-1' }),
          headers: { location: `${ALL}/prod-1`, etag: '"1-000000000001"' },
        },
      ),
      {
        call: `GET ${ALL}/prod-1`,
        want: { status: 200, resource: resource({ name: 'prod-1' }), headers: { etag: '"1-000000000001"' } },
      },
    ],
  },
  {
    why: 'everything that can be said of one is kept',
    steps: [
      post(
        {
          body: {
            name: 'edge',
            type: 'directory',
            workspace: 'web',
            labels: { b: '', 'a.b/c': 'd' },
            properties: { registry: 'local', list: [1, null, { a: true }] },
            advertisedManifestTypes: ['inline', 'helm', 'inline'],
          },
        },
        {
          ...created('edge', 'web'),
          resource: resource({
            name: 'edge',
            type: 'directory',
            workspace: 'web',
            labels: { 'a.b/c': 'd', b: '' },
            properties: { registry: 'local', list: [1, null, { a: true }] },
            advertisedManifestTypes: ['helm', 'inline'],
          }),
        },
      ),
    ],
  },
  {
    why: 'the types are those that are built in and those that addons bring',
    steps: [
      ...['platform', 'local', 'directory', 'thanos'].map((type) =>
        post({ body: { ...draft, name: type, type } }, created(type)),
      ),
      post({ body: { ...draft, type: 'loki' } }, refused(400, 'unknownTargetType', '/type')),
    ],
  },
  {
    why: 'a name is taken wherever it is, and the workspace must be there',
    steps: [
      ...given('prod-1 in web'),
      post({ body: draft }, refused(409, 'nameTaken', '/name')),
      post({ body: { ...draft, name: 'x', workspace: 'nobody' } }, refused(400, 'noSuchWorkspace', '/workspace')),
    ],
  },
  {
    why: 'it takes a permission for the workspace, and tells nothing of one that the caller may not see',
    steps: [
      post({ body: { ...draft, workspace: 'locked' } }, refused(403, 'permissionDenied')),
      post({ body: { ...draft, workspace: 'hidden' } }, refused(400, 'noSuchWorkspace')),
    ],
  },
  {
    why: 'what is wrong is refused with its place',
    steps: [
      post({ body: { name: 'x', type: 'kubernetes' } }, refused(400, 'validationFailed', '/workspace')),
      post({ body: { ...draft, lifecycle: 'Cordoned' } }, refused(400, 'validationFailed', '/lifecycle')),
      post({ body: { ...draft, reportedLabels: {} } }, refused(400, 'validationFailed', '/reportedLabels')),
      post({ body: { ...draft, labels: { 'a b': 'c' } } }, refused(400, 'invalidTarget', '/labels/a b')),
      post(
        { body: { ...draft, labels: { 'agent.fleetshift.io/zone': 'a' } } },
        refused(400, 'invalidTarget', '/labels/agent.fleetshift.io~1zone'),
      ),
      post(
        { body: { ...draft, properties: { big: 'x'.repeat(20_000) } } },
        refused(400, 'invalidTarget', '/properties'),
      ),
      post({ body: { ...draft, properties: [] } }, refused(400, 'validationFailed', '/properties')),
      post(
        { body: { ...draft, advertisedManifestTypes: ['Helm'] } },
        refused(400, 'validationFailed', '/advertisedManifestTypes/0'),
      ),
      listed(''),
    ],
  },
  {
    why: 'a dry run leaves nothing, and a key registers once',
    steps: [
      post({ query: '?dryRun=true', body: draft }, { status: 201, resource: resource({ name: 'prod-1' }) }),
      gone('prod-1'),
      post({ body: draft, headers: KEY }, created('prod-1')),
      post({ body: draft, headers: KEY }, { status: 201, headers: { 'idempotency-replayed': 'true' } }),
    ],
  },
];
