import assert from 'node:assert/strict';
import { parseResourceName } from '#kit/std';
import type { UnitOfWork } from '../../application/ports.ts';
import type { Deployment } from '../../domain/deployment/deployment.ts';
import { type Meanwhile, uidOf } from '../deployment-api.ts';
import {
  ALICE,
  created,
  DRAFT,
  given,
  got,
  NOTE,
  patch,
  patched,
  post,
  refused,
  remove,
  type Scenario,
  stands,
  updated,
} from './steps.ts';

const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData: { password: 'hunter2' } };
const TEMPLATE = {
  ...DRAFT,
  manifest: {
    type: 'template',
    documents: [{ ...NOTE, data: { text: '${values.text}' } }],
    values: { text: 'a', b: 1 },
  },
};

/** The refusal names the group. */
const BY_WEB = { group: 'web', child: 'db' };

export const CHANGING: readonly Scenario[] = [
  {
    why: 'a patch of one axis says so, and counts as another generation',
    steps: [
      ...given('web'),
      patch(
        'web',
        { body: { manifest: { documents: [] } } },
        { ...patched('web', 'manifest'), has: { generation: 2 } },
      ),
      patch(
        'web',
        { body: { placement: [{ type: 'selector', matchLabels: { a: 'b' } }] } },
        patched('web', 'placement'),
      ),
      patch('web', { body: { rollout: { maxFailures: 1 } } }, { ...patched('web', 'rollout'), has: { generation: 4 } }),
      patch('web', { body: { config: { a: 1 }, driftPolicy: 'repair' } }, patched('web', 'manifest')),
      patch(
        'web',
        { body: { namespace: 'x', placement: [{ type: 'all' }], rollout: { maxFailures: 2 } } },
        patched('web', 'manifest', 'placement', 'rollout'),
      ),
    ],
  },
  {
    why: 'it is a merge patch: what is absent stays, null removes, lists are replaced',
    steps: [
      post({ body: TEMPLATE }, created('web')),
      patch(
        'web',
        { body: { manifest: { values: { b: null, c: { d: 2 } } }, labels: { x: 'y' } } },
        {
          ...patched('web', 'manifest'),
          has: { manifest: { type: 'template', values: { text: 'a', c: { d: 2 } } }, labels: { x: 'y' } },
        },
      ),
      patch(
        'web',
        { body: { labels: null, config: { a: 1 } } },
        { ...patched('web', 'manifest'), has: { labels: {} } },
      ),
      patch('web', { body: { config: null, rollout: null } }, { ...patched('web', 'manifest'), has: { config: {} } }),
    ],
  },
  {
    why: 'with another type it replaces what was there',
    steps: [
      post({ body: TEMPLATE }, created('web')),
      patch(
        'web',
        { body: { manifest: { type: 'inline', documents: [NOTE] } } },
        { ...patched('web', 'manifest'), has: { manifest: { type: 'inline', documents: [NOTE] } } },
      ),
      patch(
        'web',
        { body: { rollout: { type: 'rolling', batchSize: '25%' } } },
        { ...patched('web', 'rollout'), has: { rollout: { type: 'rolling', batchSize: '25%' } } },
      ),
    ],
  },
  {
    why: 'one that changes nothing keeps the etag, and is told to nobody',
    steps: [
      post({ body: { ...TEMPLATE, config: { token: { $secret: 'x' } } } }, created('web')),
      patch('web', { body: {} }, { status: 200, has: { etag: '1-000000000001' } }),
      patch(
        'web',
        { body: { manifest: { values: { text: 'a' } }, config: { token: { $secret: 'x' } }, labels: {} } },
        { status: 200, has: { etag: '1-000000000001', generation: 1 } },
      ),
    ],
  },
  {
    why: 'whatever is shown of it makes another etag when it changes: a pause, and how it stands, included',
    steps: [
      ...given('web'),
      patch('web', { body: { rolloutState: 'paused' } }, { ...updated('web'), has: { etag: '2-000000000001' } }),
      patch('web', { body: { labels: { a: 'b' } } }, { ...updated('web'), has: { etag: '3-000000000001' } }),
      stands('web', { observedGeneration: 1 }),
      got('web', { etag: '4-000000000001' }),
    ],
  },
  {
    why: 'secrets that a patch does not name stay, and one that it does is another',
    steps: [
      post({ body: { ...DRAFT, manifest: { type: 'inline', documents: [secret] } } }, created('web')),
      patch('web', { body: { config: { token: { $secret: 'x' } } } }, patched('web', 'manifest')),
      patch('web', { body: { config: { token: { $secret: 'y' } } } }, patched('web', 'manifest')),
      patch('web', { body: { manifest: { documents: [secret] } } }, { status: 200 }),
      got('web', { manifest: { documents: [{ stringData: { password: '[redacted]' } }] } }),
    ],
  },
  {
    why: 'a masked secret that is sent back is refused',
    steps: [
      post({ body: { ...DRAFT, config: { token: { $secret: 'x' } } } }, created('web')),
      patch('web', { body: { config: { token: '[redacted]' } } }, refused(400, 'invalidDeployment', '/config/token')),
    ],
  },
  {
    why: 'what it comes to is checked like a new one, fields that nobody knows included',
    steps: [
      ...given('web'),
      patch('web', { body: { manifest: { replicas: 1 } } }, refused(400, 'invalidDeployment', '/manifest/replicas')),
      patch('web', { body: { manifest: { type: 'jsonnet' } } }, refused(400, 'invalidDeployment', '/manifest/type')),
      patch('web', { body: { rollout: { type: 'rolling' } } }, refused(400, 'invalidDeployment', '/rollout/batchSize')),
      patch(
        'web',
        { body: { rollout: { maxFailures: '12.5%' } } },
        refused(400, 'invalidDeployment', '/rollout/maxFailures'),
      ),
      patch('web', { body: { placement: null } }, refused(400, 'invalidDeployment', '/placement')),
      patch(
        'web',
        { body: { placement: [{ type: 'static', targets: ['far'] }], rollout: { progressDeadline: 'x' } } },
        refused(400, 'invalidDeployment', '/placement/0/targets/0', '/rollout/progressDeadline'),
      ),
      patch('web', { body: { placement: [{ type: 'local' }] } }, refused(403, 'permissionDenied')),
      patch('web', { body: { name: 'api' } }, refused(400, 'validationFailed', '/name')),
    ],
  },
  {
    why: 'If-Match holds it back when somebody else was faster, and a dry run changes nothing',
    steps: [
      ...given('web'),
      patch(
        'web',
        { body: { labels: { a: 'b' } }, query: '?dryRun=true' },
        { status: 200, has: { labels: { a: 'b' } } },
      ),
      patch('web', { body: { labels: { a: 'b' } }, headers: { 'if-match': '"1-000000000001"' } }, updated('web')),
      patch(
        'web',
        { body: { labels: { a: 'c' } }, headers: { 'if-match': '"1-000000000001"' } },
        refused(412, 'preconditionFailed'),
      ),
      got('web', { labels: { a: 'b' }, generation: 1 }),
    ],
  },
  {
    why: 'labels and rolloutState are not what is delivered: they begin no rollout',
    steps: [
      ...given('web'),
      patch(
        'web',
        { body: { labels: { a: 'b' }, rolloutState: 'paused' } },
        { ...updated('web'), has: { generation: 1 } },
      ),
    ],
  },
  {
    why: 'one that is not there, or not to be seen, cannot be changed',
    steps: [
      patch('web', { body: {} }, refused(404, 'deploymentNotFound')),
      patch('hidden', { body: {} }, refused(404, 'deploymentNotFound')),
    ],
  },
  {
    why: 'a child of a group is changed and deleted by its group alone, which the refusal names',
    steps: [
      ...given('web'),
      child('paused'),
      got('shop-db', { owner: { child: 'db' } }),
      patch('shop-db', { body: { labels: { a: 'b' } } }, { ...refused(409, 'groupChild'), has: BY_WEB }),
      remove('shop-db', {}, { ...refused(409, 'groupChild'), has: BY_WEB }),
      got('shop-db', { owner: { child: 'db' } }),
    ],
  },
  {
    why: 'its group sets all of a child, but whether it is paused, and deletes it',
    steps: [
      child('paused'),
      {
        meanwhile: async (unit, service, signal) => {
          const draft = { manifest: DRAFT.manifest, placement: DRAFT.placement, config: { a: 1 } };
          const { uid } = await childIn(unit, signal);
          const next = await service.replaceChild(unit, { uid, draft, by: ALICE, now: 2 }, signal);
          assert.deepEqual(await service.replaceChild(unit, { uid, draft, by: ALICE, now: 3 }, signal), next);
        },
      },
      got('shop-db', { config: { a: 1 }, rolloutState: 'paused', generation: 2 }),
      {
        meanwhile: async (unit, service, signal) => {
          const { uid } = await childIn(unit, signal);
          await service.deleteChild(unit, { uid, by: ALICE, now: 4 }, signal);
          const again = service.replaceChild(unit, { uid, draft: DRAFT, by: ALICE, now: 5 }, signal);
          await assert.rejects(again, { code: 'DEPLOYMENT_DELETING' });
          const other = service.deleteChild(unit, { uid: uidOf(99), by: ALICE, now: 5 }, signal);
          await assert.rejects(other, { code: 'DEPLOYMENT_NOT_FOUND' });
        },
      },
      got('shop-db', { deleteTime: '1970-01-01T00:00:00.004Z' }),
    ],
  },
];

function child(rolloutState: 'paused' | 'running'): Meanwhile {
  return {
    meanwhile: async (unit, service, signal) => {
      const group = await unit.deployments.find(parseResourceName('emea'), parseResourceName('web'), signal);
      const owner = { group: group?.uid ?? uidOf(99), child: 'db' };
      const workspace = { name: parseResourceName('emea'), path: '/root/emea/' };
      const draft = { manifest: DRAFT.manifest, placement: DRAFT.placement, rolloutState };
      await service.createChild(unit, { owner, workspace, name: 'shop-db', draft, by: ALICE, now: 1 }, signal);
    },
  };
}

async function childIn({ deployments }: UnitOfWork, signal: AbortSignal): Promise<Deployment> {
  const found = await deployments.find(parseResourceName('emea'), parseResourceName('shop-db'), signal);
  assert.ok(found !== undefined);
  return found;
}
