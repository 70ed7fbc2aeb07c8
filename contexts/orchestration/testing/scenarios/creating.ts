import {
  CREATION,
  created,
  DRAFT,
  EMEA,
  given,
  got,
  NOTE,
  patch,
  patched,
  post,
  refused,
  resource,
  type Scenario,
} from './steps.ts';

const KEY = { 'idempotency-key': 'k1' };
const AS_ADMIN = { authorization: 'Bearer admin' };
const SECRET_TEXT = 'apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {password: hunter2}\n';
const secret = (password: unknown) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 's' },
  data: { password },
});
const staged = (...beforeTasks: object[]) => ({
  type: 'staged',
  stages: [{ name: 'canary', selector: { matchLabels: { tier: 'canary' } }, beforeTasks }],
});
const waitsFor = (deployment: string) => staged({ type: 'deploymentHealth', deployment });
const group = (...deployments: object[]) => ({ name: 'shop', manifest: { type: 'deploymentGroup', deployments } });

const WELL_MADE: readonly Scenario[] = [
  {
    why: 'a name, a manifest and a placement are enough; the rollout is immediate, and starts at once',
    steps: [
      post(
        { body: DRAFT },
        {
          ...created('web'),
          resource: resource({ name: 'web' }),
          headers: { location: `${EMEA}/web`, etag: '"1-000000000001"' },
        },
      ),
      { call: `GET ${EMEA}/web`, want: { status: 200, resource: resource({ name: 'web' }) } },
    ],
  },
  {
    why: 'everything that can be said of one is kept',
    steps: [
      post(
        {
          body: {
            name: 'web',
            labels: { b: '', 'a.b/c': 'd' },
            manifest: {
              type: 'template',
              template: 'text: ${values.text}\n',
              values: { text: 'x' },
              targetTypes: ['directory'],
            },
            placement: [
              { type: 'selector', matchLabels: { env: 'prod' } },
              { type: 'scored', top: 2, weights: [{ type: 'reported', score: 'cost', weight: -1 }] },
            ],
            rollout: {
              ...staged({ type: 'wait', duration: '1h' }, { type: 'approval', expiry: '1d' }),
              maxRemoval: '20%',
            },
            healthRules: [{ apiGroup: 'apps', kind: 'Deployment', healthy: 'object.status.readyReplicas > 0' }],
            driftPolicy: 'repair',
            namespace: 'shop',
            config: { level: 'debug' },
            rolloutState: 'paused',
          },
        },
        {
          ...created('web'),
          has: {
            labels: { 'a.b/c': 'd', b: '' },
            manifest: { type: 'template', values: { text: 'x' } },
            placement: [{ type: 'selector' }, { type: 'scored', top: 2 }],
            rollout: { type: 'staged', maxRemoval: '20%' },
            healthRules: [{ apiGroup: 'apps' }],
            driftPolicy: 'repair',
            namespace: 'shop',
            config: { level: 'debug' },
            rolloutState: 'paused',
          },
        },
      ),
    ],
  },
  {
    why: 'a dry run shows what would be, and changes nothing',
    steps: [
      post({ query: '?dryRun=true', body: DRAFT }, { status: 201, has: { name: 'web', generation: 1 } }),
      { call: `GET ${EMEA}/web`, want: refused(404, 'deploymentNotFound') },
    ],
  },
  {
    why: 'sent twice with one key, it is created once',
    steps: [
      post({ body: DRAFT, headers: KEY }, created('web')),
      post({ body: DRAFT, headers: KEY }, { status: 201, headers: { 'idempotency-replayed': 'true' } }),
      post({ body: { ...DRAFT, name: 'api' }, headers: KEY }, refused(422, 'idempotencyKeyReused')),
    ],
  },
  {
    why: 'a name is taken once in a workspace, and free in all others',
    steps: [
      ...given('web'),
      post({ body: DRAFT }, refused(409, 'nameTaken', '/name')),
      {
        call: 'POST /v1/workspaces/apac/deployments',
        body: DRAFT,
        want: { status: 201, events: ['deployment.created web in apac'], triggers: [CREATION] },
      },
    ],
  },
  {
    why: 'a workspace that is not there has no deployments',
    steps: [{ call: 'POST /v1/workspaces/nowhere/deployments', body: DRAFT, want: refused(404, 'noSuchWorkspace') }],
  },
  {
    why: 'what is secret is masked in every answer',
    steps: [
      post(
        {
          body: {
            ...DRAFT,
            manifest: { type: 'inline', documents: [secret('aGk=')] },
            config: { token: { $secret: 'x' } },
          },
        },
        {
          ...created('web'),
          has: { manifest: { documents: [secret('[redacted]')] }, config: { token: '[redacted]' } },
        },
      ),
      got('web', { manifest: { documents: [secret('[redacted]')] }, config: { token: '[redacted]' } }),
    ],
  },
];

const TEXTS: readonly Scenario[] = [
  {
    why: 'a template text with a Secret is masked as a whole, and a patch of something else keeps it',
    steps: [
      post(
        { body: { ...DRAFT, manifest: { type: 'template', template: SECRET_TEXT } } },
        { ...created('web'), has: { manifest: { type: 'template', template: '[redacted]' } } },
      ),
      got('web', { manifest: { template: '[redacted]' } }),
      patch('web', { body: { manifest: { template: SECRET_TEXT } } }, { status: 200, has: { generation: 1 } }),
      patch('web', { body: { manifest: { values: { a: 1 } } } }, patched('web', 'manifest')),
      patch(
        'web',
        { body: { manifest: { template: '[redacted]' } } },
        refused(400, 'invalidDeployment', '/manifest/template'),
      ),
      got('web', { manifest: { template: '[redacted]', values: { a: 1 } } }),
    ],
  },
];

const REFUSED: readonly Scenario[] = [
  {
    why: 'a type that nobody knows is 400, whether of manifest, placement, rollout or gate',
    steps: [
      post({ body: { ...DRAFT, manifest: { type: 'jsonnet' } } }, refused(400, 'validationFailed', '/manifest/type')),
      post(
        { body: { ...DRAFT, placement: [{ type: 'nearest' }] } },
        refused(400, 'validationFailed', '/placement/0/type'),
      ),
      post({ body: { ...DRAFT, rollout: { type: 'big-bang' } } }, refused(400, 'validationFailed', '/rollout/type')),
      post(
        { body: { ...DRAFT, rollout: staged({ type: 'moon' }) } },
        refused(400, 'validationFailed', '/rollout/stages/0/beforeTasks/0/type'),
      ),
    ],
  },
  {
    why: 'a field that nobody knows is 400, however deep it is',
    steps: [
      post({ body: { ...DRAFT, replicas: 3 } }, refused(400, 'validationFailed', '/replicas')),
      post(
        { body: { ...DRAFT, rollout: staged({ type: 'wait', duration: '1h', why: 'x' }) } },
        refused(400, 'validationFailed', '/rollout/stages/0/beforeTasks/0/why'),
      ),
    ],
  },
  {
    why: 'all that is wrong is told at once, each with its place',
    steps: [
      post(
        {
          body: {
            name: 'web',
            manifest: { type: 'template', template: 'a: ${valeus.x}\n' },
            placement: [{ type: 'static', targets: ['edge-1', 'far', 'nobody'] }],
            rollout: { ...staged({ type: 'wait', duration: 'soon' }), progressDeadline: 'never', maxRemoval: '10%' },
            healthRules: [{ kind: 'Pod', healthy: 'object.status ==' }],
            config: { a: { $secret: 1, b: 2 } },
          },
        },
        refused(
          400,
          'invalidDeployment',
          '/manifest/template',
          '/placement/0/targets/1',
          '/placement/0/targets/2',
          '/rollout/progressDeadline',
          '/rollout/stages/0/beforeTasks/0/duration',
          '/healthRules/0/healthy',
          '/config/a',
        ),
      ),
    ],
  },
  {
    why: 'a static target outside of the pool is named; those in workspaces below are in it',
    steps: [
      post(
        { body: { ...DRAFT, placement: [{ type: 'static', targets: ['far'] }] } },
        refused(400, 'invalidDeployment', '/placement/0/targets/0'),
      ),
      post({ body: { ...DRAFT, placement: [{ type: 'static', targets: ['till', 'edge-2-uid'] }] } }, created('web')),
    ],
  },
  {
    why: 'nobody is guessed: a deployment without a placement is refused',
    steps: [post({ body: { name: 'web', manifest: DRAFT.manifest } }, refused(400, 'invalidDeployment', '/placement'))],
  },
  {
    why: 'a masked secret that is sent back is refused, as it would replace the real one',
    steps: [
      post(
        { body: { ...DRAFT, manifest: { type: 'inline', documents: [secret('[redacted]')] } } },
        refused(400, 'invalidDeployment', '/manifest/documents/0/data/password'),
      ),
      post({ body: { ...DRAFT, config: { token: '[redacted]' } } }, refused(400, 'invalidDeployment', '/config/token')),
    ],
  },
  {
    why: 'two documents of one identity are refused, and one that hides what it is',
    steps: [
      post(
        { body: { ...DRAFT, manifest: { type: 'inline', documents: [{ $secret: NOTE }] } } },
        refused(400, 'invalidDeployment', '/manifest/documents/0'),
      ),
      post(
        { body: { ...DRAFT, manifest: { type: 'inline', documents: [NOTE, NOTE] } } },
        refused(400, 'invalidDeployment', '/manifest/documents/1'),
      ),
    ],
  },
  {
    why: 'who may not create in a workspace does not',
    steps: [{ call: 'POST /v1/workspaces/locked/deployments', body: DRAFT, want: refused(403, 'permissionDenied') }],
  },
];

const LOCAL_AND_GROUPS: readonly Scenario[] = [
  {
    why: 'placing on the platform itself needs a permission of its own, children of groups included',
    steps: [
      post({ body: { ...DRAFT, placement: [{ type: 'local' }] } }, refused(403, 'permissionDenied')),
      post({ body: group({ ...DRAFT, placement: [{ type: 'local' }] }) }, refused(403, 'permissionDenied')),
      post(
        { body: { ...DRAFT, placement: [{ type: 'local' }] }, headers: AS_ADMIN },
        { status: 201, events: ['deployment.created web in emea'], triggers: [{ ...CREATION, by: 'user:admin' }] },
      ),
    ],
  },
  {
    why: 'a group is local without saying so, needs no permission for it, and has a long deadline',
    steps: [
      post(
        { body: group(DRAFT) },
        {
          ...created('shop'),
          has: { placement: [{ type: 'local' }], rollout: { type: 'immediate', progressDeadline: '30d' } },
        },
      ),
    ],
  },
  {
    why: 'what is wrong with a child is told with its place, at any depth, and however it is wrong',
    steps: [
      post(
        {
          body: group(
            { ...DRAFT, replicas: 1 },
            { name: 'inner', manifest: group({ name: 'x', manifest: { type: 'y' } }).manifest },
          ),
        },
        refused(
          400,
          'invalidDeployment',
          '/manifest/deployments/0/replicas',
          '/manifest/deployments/1/manifest/deployments/0/manifest/type',
        ),
      ),
      post(
        {
          body: group(
            { ...DRAFT, placement: [{ type: 'static', targets: ['far'] }] },
            { name: 'web', manifest: DRAFT.manifest },
          ),
        },
        refused(
          400,
          'invalidDeployment',
          '/manifest/deployments/1/name',
          '/manifest/deployments/0/placement/0/targets/0',
          '/manifest/deployments/1/placement',
        ),
      ),
    ],
  },
  {
    why: 'deployments that would wait for each other forever are refused, through groups too',
    steps: [
      post({ body: { ...DRAFT, rollout: waitsFor('web') } }, refused(400, 'invalidDeployment', '/rollout')),
      post({ body: { ...DRAFT, name: 'api', rollout: waitsFor('web') } }, created('api')),
      post({ body: { ...DRAFT, rollout: waitsFor('api') } }, refused(400, 'invalidDeployment', '/rollout')),
      post({ body: { ...DRAFT, rollout: waitsFor('db') } }, created('web')),
      post(
        { body: { ...group({ ...DRAFT, name: 'db', rollout: waitsFor('shop') }) } },
        refused(400, 'invalidDeployment', '/manifest'),
      ),
    ],
  },
];

export const CREATING = [...WELL_MADE, ...TEXTS, ...REFUSED, ...LOCAL_AND_GROUPS];
