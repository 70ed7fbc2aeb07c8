import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { CORE, createKubeClient, type KubeObject, type Resource } from '#kit/kube';
import { FakeApiServer } from '#kit/kube/testing';
import { memoryLogger } from '#kit/telemetry/testing';
import { FakeClock } from '#testing/fake-clock';
import { CrsProcessError } from '../crs-process-error.ts';
import type { Scope } from './kept-apart.ts';
import { neighbourWatch, refuseNeighbours } from './refuse-neighbours.ts';

const SETS: Resource = {
  group: 'addons.cluster.x-k8s.io',
  version: 'v1beta2',
  plural: 'clusterresourcesets',
  kind: 'ClusterResourceSet',
  namespaced: true,
};

async function stage(t: TestContext, ours: Scope = {}) {
  const server = await FakeApiServer.start({ resources: [SETS] });
  for (const name of ['capi-system', 'somewhere']) {
    server.put(CORE.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }
  const client = createKubeClient({ config: server.config });
  t.after(async () => {
    await client.close();
    await server.close();
  });
  const clock = new FakeClock();
  const { log, lines } = memoryLogger();
  const deps = { client, clock, sleep: clock.sleep, log, ours, sets: SETS };
  return { server, client, clock, lines, deps, check: () => refuseNeighbours(deps, t.signal) };
}

function manager(args: readonly string[], replicas?: number): KubeObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      namespace: 'capi-system',
      name: 'capi-controller-manager',
      labels: { 'cluster.x-k8s.io/provider': 'cluster-api' },
    },
    spec: {
      ...(replicas === undefined ? {} : { replicas }),
      template: { spec: { containers: [{ name: 'manager', command: ['/manager'], args }] } },
    },
  } as KubeObject;
}

function lease(renewTime: string, holderIdentity = 'pod-1') {
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { namespace: 'somewhere', name: 'controller-leader-election-capi' },
    spec: { holderIdentity, leaseDurationSeconds: 15, renewTime },
  };
}

const refused = (found: RegExp) => (error: unknown) =>
  error instanceof CrsProcessError && error.code === 'CLUSTER_API_AT_WORK' && found.test(error.message);

suite('beside a Cluster API manager', () => {
  test('alone it starts, and waits for nothing', async (t) => {
    const { check, clock } = await stage(t);
    await check();
    assert.equal(clock.sleeping, 0);
  });

  test('a Deployment of it is refused, and the way out is said', async (t) => {
    const { server, check } = await stage(t);
    server.put(CORE.deployments, manager(['--leader-elect']));
    await assert.rejects(check(), refused(/kubectl -n capi-system scale deployment capi-controller-manager/));
  });

  test('one that is scaled down is not at work', async (t) => {
    const { server, check } = await stage(t);
    server.put(CORE.deployments, manager([], 0));
    await check();
  });

  for (const { why, args, ours, isApart } of [
    { why: 'another namespace', args: ['--namespace=theirs'], ours: { namespace: 'ours' }, isApart: true },
    { why: 'the namespace as a word of its own', args: ['--namespace', 'x'], ours: { namespace: 'x' }, isApart: false },
    { why: 'an empty namespace is all of them', args: ['--namespace='], ours: { namespace: 'x' }, isApart: false },
    { why: 'another filter', args: ['--watch-filter=theirs'], ours: { watchFilter: 'ours' }, isApart: true },
    { why: 'no filter at all', args: [], ours: { watchFilter: 'ours' }, isApart: false },
  ]) {
    test(`kept apart by ${why}: ${isApart}`, async (t) => {
      const { server, check } = await stage(t, ours);
      server.put(CORE.deployments, manager(args));
      if (isApart) await check();
      else await assert.rejects(check(), refused(/Deployment/));
    });
  }

  test('a lease that is renewed is somebody, wherever it is', async (t) => {
    const { server, client, check, clock } = await stage(t);
    const kept = server.put(CORE.leases, lease('2030-01-01T00:00:00.000000Z'));
    const checking = assert.rejects(
      check(),
      refused(/lease somewhere\/controller-leader-election-capi, held by pod-1/),
    );
    await clock.untilSleeping();
    const renewed = { ...kept, spec: { ...kept.spec, renewTime: '2030-01-01T00:00:02.000000Z' } };
    const ref = { resource: CORE.leases, namespace: 'somewhere', name: 'controller-leader-election-capi' };
    await client.replace(ref, renewed, {}, t.signal);
    await clock.advance(2_000);
    await checking;
  });

  test('one that was left behind is waited for once, by our own clock', async (t) => {
    const { server, check, clock } = await stage(t);
    server.put(CORE.leases, lease('2099-01-01T00:00:00.000000Z'));
    let isDone = false;
    const checking = check().then(() => {
      isDone = true;
    });
    while (!isDone) {
      await Promise.race([checking, clock.untilSleeping()]);
      if (!isDone) await clock.advance(2_000);
    }
    assert.ok(clock.now() - new FakeClock().now() >= 15_000);
  });

  test('one that was given back is nobody', async (t) => {
    const { server, check, clock } = await stage(t);
    server.put(CORE.leases, lease('2030-01-01T00:00:00.000000Z', ''));
    await check();
    assert.equal(clock.sleeping, 0);
  });

  test('where it may not look everywhere it looks where the manager usually is', async (t) => {
    const { server, check } = await stage(t);
    server.put(CORE.deployments, manager([]));
    server.inject({
      matches: ({ path }) => path === '/apis/apps/v1/deployments',
      action: { kind: 'status', httpStatus: 403, reason: 'Forbidden' },
    });
    await assert.rejects(check(), refused(/Deployment capi-system/));
  });

  test('one that comes later ends the work', async (t) => {
    const { server, clock, deps } = await stage(t);
    const watching = assert.rejects(neighbourWatch(deps).run(t.signal), refused(/Deployment/));
    await clock.untilSleeping();
    server.put(CORE.deployments, manager([]));
    await clock.advance(60_000);
    await watching;
  });
});
