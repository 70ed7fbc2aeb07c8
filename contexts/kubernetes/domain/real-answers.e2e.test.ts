import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { CORE, createKubeClient, type KubeClient, parseKubeConfig } from '#kit/kube';
import type { Document } from '#protocol/delivery';
import { clustersUnavailable, sharedCluster } from '#testing/clusters';
import { PATIENCE_MS } from '#testing/patience';
import { KubeClusterApi } from '../adapters/kube-cluster-api.ts';
import { desiredObjects } from './desired-objects.ts';
import { appliedState, driftOf, heldHash } from './drift.ts';
import { conflictsOf } from './field-conflict.ts';
import { parseFieldPattern } from './field-pattern.ts';
import { forApply } from './ignore-fields.ts';
import { immutableFields } from './immutable-fields.ts';
import { type KubeObject, keyOf } from './kube-object.ts';
import { diffLines } from './object-diff.ts';
import { nextStep, pruneStep, wasMadeByUs } from './ownership.ts';

const size = 'apiserver';
const APPLY = { force: false, dryRun: false };
const container = {
  name: 'web',
  image: 'web:1',
  resources: { limits: { cpu: '1000m' } },
  ports: [{ containerPort: 80 }],
};

/** Behaviour of API servers that the pure core relies on. */
describe('a real API server', { skip: (await clustersUnavailable(size)) ?? false }, () => {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const cleanups: (() => Promise<void>)[] = [];
  let client: KubeClient;
  let cluster: KubeClusterApi;
  let namespace: string;

  before(async () => {
    const shared = await sharedCluster(size, signal);
    client = createKubeClient({ config: parseKubeConfig(shared.kubeconfig()) });
    cluster = new KubeClusterApi(client);
    namespace = await shared.namespace({ after: (body) => cleanups.push(async () => await body()) });
  });

  after(async () => {
    for (const clean of cleanups) await clean();
    await client.close();
  });

  function desired(document: object): KubeObject {
    const found = desiredObjects([document as Document], { deployment: 'd-1', namespace, scopeOf: () => 'namespaced' });
    assert.ok(found.kind === 'desired' && found.objects[0] !== undefined);
    return found.objects[0].object;
  }

  function deployment(name: string, spec: object = {}): KubeObject {
    const template = { metadata: { labels: { app: name } }, spec: { containers: [container] } };
    const selector = { matchLabels: { app: name } };
    return desired({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name },
      spec: { replicas: 2, selector, template, ...spec },
    });
  }

  async function applied(object: KubeObject, options = APPLY): Promise<KubeObject> {
    const answer = await cluster.apply(object, options, signal);
    assert.equal(answer.kind, 'done', JSON.stringify(answer));
    return answer.kind === 'done' ? answer.object : object;
  }

  async function refused(object: KubeObject) {
    const answer = await cluster.apply(object, APPLY, signal);
    assert.ok(answer.kind === 'refused', answer.kind);
    return answer.status;
  }

  async function patched(object: KubeObject, patch: object, fieldManager = 'kubectl-edit'): Promise<KubeObject> {
    const ref = { resource: CORE.deployments, namespace, name: object.metadata.name ?? '' };
    return await client.patch(ref, { type: 'merge', patch }, { fieldManager }, signal);
  }

  it('knows who made an object, and changes nothing where nothing changes', async () => {
    const made = await applied(deployment('same'));
    assert.ok(wasMadeByUs(made));
    const again = await applied(deployment('same'));
    assert.equal(again.metadata.resourceVersion, made.metadata.resourceVersion);
    assert.equal(heldHash(again, []), heldHash(made, []));
    assert.deepEqual(driftOf(appliedState(made), again, []), { kind: 'none' });
  });

  it('says whose a field is, on the object and when it refuses to have it taken', async () => {
    const made = await applied(deployment('theirs'));
    const containers = [{ ...container, image: 'web:9' }];
    const live = await patched(made, { spec: { replicas: 5, template: { spec: { containers } } } });
    const path = '.spec.template.spec.containers[name="web"].image';
    assert.deepEqual(driftOf(appliedState(made), live, []), {
      kind: 'changed',
      fields: [
        { path: '.spec.replicas', manager: 'kubectl-edit' },
        { path, manager: 'kubectl-edit' },
      ],
    });
    assert.notEqual(heldHash(live, []), heldHash(made, []));
    const conflicts = conflictsOf(await refused(deployment('theirs')));
    assert.deepEqual(conflicts, [{ manager: 'kubectl-edit', fields: ['.spec.replicas', path] }]);
    const repaired = await applied(deployment('theirs'), { force: true, dryRun: false });
    assert.deepEqual(driftOf(appliedState(made), repaired, []), { kind: 'none' });
  });

  it('previews with a dry run, in the words of people, and knows that 1000m is 1', async () => {
    const made = await applied(deployment('preview'));
    const next = await applied(deployment('preview', { replicas: 4, minReadySeconds: 5 }), {
      force: false,
      dryRun: true,
    });
    assert.deepEqual(diffLines({ live: made, next, patterns: [], secrets: [] }), [
      `change apps/v1/Deployment/${namespace}/preview`,
      '  .spec.minReadySeconds: nothing -> 5',
      '  .spec.replicas: 2 -> 4',
    ]);
    assert.equal((await cluster.get(keyOf(made), signal))?.metadata.resourceVersion, made.metadata.resourceVersion);
  });

  it('leaves replicas to an autoscaler from the moment that they are ignored', async () => {
    const replicas = parseFieldPattern('/spec/replicas');
    assert.ok(typeof replicas !== 'string');
    const replicasOf = (object: KubeObject) =>
      'spec' in object ? (object.spec as { replicas?: number }).replicas : undefined;
    const made = await applied(deployment('scaled'));
    const kept = await applied(forApply(deployment('scaled', { replicas: 7 }), made, [replicas]));
    assert.equal(replicasOf(kept), 2, 'nobody else has them yet: they stay');
    const ref = { resource: CORE.deployments, namespace, name: 'scaled' };
    const options = { fieldManager: 'autoscaler', subresource: 'scale' } as const;
    await client.patch(ref, { type: 'merge', patch: { spec: { replicas: 6 } } }, options, signal);
    const live = await cluster.get(keyOf(made), signal);
    assert.ok(live);
    assert.deepEqual(driftOf(appliedState(made), live, [replicas]), { kind: 'none' });
    assert.equal(replicasOf(await applied(forApply(deployment('scaled'), live, [replicas]))), 6);
  });

  it('says that a field never changes', async () => {
    await applied(deployment('fixed'));
    const other = {
      selector: { matchLabels: { app: 'other' } },
      template: { metadata: { labels: { app: 'other' } }, spec: { containers: [container] } },
    };
    assert.deepEqual(immutableFields(await refused(deployment('fixed', other))), ['spec.selector']);
    const set = (serviceName: string) =>
      desired({
        ...deployment('set'),
        kind: 'StatefulSet',
        spec: {
          serviceName,
          selector: { matchLabels: { app: 'a' } },
          template: { metadata: { labels: { app: 'a' } }, spec: { containers: [container] } },
        },
      });
    await applied(set('a'));
    assert.deepEqual(immutableFields(await refused(set('b'))), ['spec']);
    const secret = (text: string) =>
      desired({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'closed' },
        immutable: true,
        stringData: { text },
      });
    await applied(secret('a'));
    assert.deepEqual(immutableFields(await refused(secret('b'))), ['data']);
    const binding = (name: string) =>
      desired({
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        metadata: { name: 'b' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
      });
    await applied(binding('a'));
    assert.deepEqual(immutableFields(await refused(binding('b'))), ['roleRef']);
    const wrong = await refused(deployment('fixed', { replicas: -1 }));
    assert.equal(immutableFields(wrong), undefined);
  });

  it('keeps what others made from being taken or deleted', async () => {
    const object = desired({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'foreign' }, data: { a: '1' } });
    const ref = { resource: CORE.configMaps, namespace };
    await client.create(ref, object, { fieldManager: 'kubectl-create' }, signal);
    const live = await cluster.get(keyOf(object), signal);
    const situation = {
      key: keyOf(object),
      deployment: 'd-1',
      entry: undefined,
      live,
      other: undefined,
      sent: '',
      held: undefined,
    };
    const step = nextStep({ ...situation, policy: { mode: 'manage', onConflict: 'fail' } });
    assert.match(step.kind === 'conflict' ? step.message : '', /managed by kubectl-create/);
    const taken = await applied(object);
    assert.ok(!wasMadeByUs(taken));
    const intent = { key: keyOf(object), origin: 'created', sent: '' } as const;
    assert.deepEqual(pruneStep(intent, taken, 'd-1'), { kind: 'forget' });
  });

  it('deletes the object that is meant, and not another of its name', async () => {
    const object = desired({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'gone' } });
    const made = await applied(object);
    await cluster.delete(keyOf(object), { uid: '00000000-0000-4000-8000-000000000000' }, signal);
    assert.ok(await cluster.get(keyOf(object), signal));
    await cluster.delete(keyOf(object), { uid: made.metadata.uid ?? '' }, signal);
    // Without controllers a foreground deletion never completes; here it only has to start.
    const left = await cluster.get(keyOf(object), signal);
    assert.ok(left === undefined || left.metadata.deletionTimestamp !== undefined);
  });

  it('is asked again for what it does not serve yet', async () => {
    const gadget = desired({ apiVersion: 'example.io/v1', kind: 'Gadget', metadata: { name: 'g' } });
    assert.equal((await cluster.apply(gadget, APPLY, signal)).kind, 'notYet');
    assert.equal(await cluster.get(keyOf(gadget), signal), undefined);
    const nowhere = desired({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'not-there' } });
    assert.equal((await cluster.apply(nowhere, APPLY, signal)).kind, 'notYet');
  });
});
