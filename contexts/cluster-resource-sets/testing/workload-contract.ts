import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isJsonObject, type JsonObject } from '#kit/std';
import { PATIENCE_MS } from '#testing/patience';
import type { WorkloadApi, WorkloadClusters } from '../application/ports.ts';
import type { Cluster } from '../domain/cluster.ts';
import { isCrsError } from '../domain/crs-error.ts';
import { identityOf } from '../domain/describe-object.ts';
import type { ManifestObject } from '../domain/manifest.ts';
import { aCluster } from './a-set.ts';

/** A cluster `a` that answers and has this namespace, and a cluster `b` that does not answer. */
export interface WorkloadUnderTest {
  readonly clusters: WorkloadClusters;
  readonly namespace: string;
}

/** The behaviour of workload clusters that the reconcilers rely on. */
export function workloadContract(name: string, open: (signal: AbortSignal) => Promise<WorkloadUnderTest>): void {
  const isRefused = (error: unknown): boolean => isCrsError(error, 'OBJECT_NOT_APPLIED');
  const isAway = (error: unknown): boolean => isCrsError(error, 'CLUSTER_UNREACHABLE');

  describe(`a workload cluster: ${name}`, { timeout: PATIENCE_MS }, () => {
    it('creates what is not there, and leaves alone what is', async (t) => {
      const { api, map } = await opened(open, t.signal);
      assert.equal(await api.get(map(), t.signal), undefined);
      const made = (await api.create(map(), t.signal)) ?? assert.fail();
      assert.equal(await api.create(map({ a: '2' }), t.signal), undefined);
      const live = (await api.get(map(), t.signal)) ?? assert.fail();
      assert.deepEqual(live['data'], { a: '1' });
      assert.deepEqual(made, { ...serverFieldsOf(live), hasStatus: false });
    });

    it('patches what it is told to and nothing else, and knows when that is nothing', async (t) => {
      const { api, map } = await opened(open, t.signal);
      const made = (await api.create(map({ a: '1', b: '1' }), t.signal)) ?? assert.fail();
      const written = await api.patch(map(), { data: { a: '2', b: null }, metadata: { labels: { x: 'y' } } }, t.signal);
      assert.equal(written.uid, made.uid);
      assert.notEqual(written.resourceVersion, made.resourceVersion);
      const live = (await api.get(map(), t.signal)) ?? assert.fail();
      assert.deepEqual([live['data'], metadataOf(live)['labels']], [{ a: '2' }, { x: 'y' }]);
      assert.deepEqual(await api.patch(map(), { data: { a: '2' } }, t.signal), written);
      await assert.rejects(api.patch(map({}, 'none'), { data: { a: '2' } }, t.signal), isRefused);
    });

    it('replaces what nobody has touched, by the manifest and no more', async (t) => {
      const { api, map } = await opened(open, t.signal);
      const made = (await api.create(labelled(map({ a: '1', b: '1' })), t.signal)) ?? assert.fail();
      const written = (await api.replace(map({ a: '2', c: null }), made.resourceVersion, t.signal)) ?? assert.fail();
      assert.equal(written.uid, made.uid);
      const live = (await api.get(map(), t.signal)) ?? assert.fail();
      assert.deepEqual([live['data'], metadataOf(live)['labels']], [{ a: '2' }, undefined]);
      assert.deepEqual(serverFieldsOf(live), { uid: written.uid, resourceVersion: written.resourceVersion });
      assert.deepEqual(await api.replace(map({ a: '2' }), written.resourceVersion, t.signal), written);
    });

    it('does not replace what is another by now, nor what is gone', async (t) => {
      const { api, map } = await opened(open, t.signal);
      const made = (await api.create(map(), t.signal)) ?? assert.fail();
      await api.patch(map(), { data: { theirs: 'yes' } }, t.signal);
      assert.equal(await api.replace(map({ a: '2' }), made.resourceVersion, t.signal), undefined);
      assert.deepEqual((await api.get(map(), t.signal))?.['data'], { a: '1', theirs: 'yes' });
      assert.equal(await api.replace(map({}, 'none'), made.resourceVersion, t.signal), undefined);
      assert.equal(await api.get(map({}, 'none'), t.signal), undefined);
    });

    it('applies on top of what others have, and leaves what is the same as it is', async (t) => {
      const { api, map } = await opened(open, t.signal);
      await api.create(map({ theirs: 'yes' }), t.signal);
      const written = await api.apply(map({ a: '1' }), t.signal);
      assert.deepEqual((await api.get(map(), t.signal))?.['data'], { a: '1', theirs: 'yes' });
      assert.deepEqual(await api.apply(map({ a: '1' }), t.signal), written);
      await api.apply(map({ a: '1' }, 'another'), t.signal);
      assert.ok(await api.get(map({}, 'another'), t.signal));
    });

    it('deletes the one that is meant, and takes one that is gone for deleted', async (t) => {
      const { api, map } = await opened(open, t.signal);
      const { uid } = (await api.create(map(), t.signal)) ?? assert.fail();
      await api.delete({ ...identityOf(map()), uid: '00000000-0000-4000-8000-000000000000' }, t.signal);
      assert.ok(await api.get(map(), t.signal));
      await api.delete({ ...identityOf(map()), uid }, t.signal);
      assert.equal(await api.get(map(), t.signal), undefined);
      await api.delete({ ...identityOf(map()), uid }, t.signal);
    });

    it('tells of a status, which others write', async (t) => {
      const { api, namespace } = await opened(open, t.signal);
      const service = {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'web', namespace },
        spec: { ports: [{ port: 80 }] },
        status: { loadBalancer: {} },
      };
      assert.equal((await api.create(service, t.signal))?.hasStatus, true);
    });

    it('refuses what has no name, and is not there when it does not answer', async (t) => {
      const { api, clusters, map, namespace } = await opened(open, t.signal);
      await assert.rejects(api.create({ ...map(), metadata: { namespace } }, t.signal), isRefused);
      const away: Cluster = aCluster({ name: 'b' });
      await assert.rejects(async () => (await clusters.connect(away, t.signal)).get(map(), t.signal), isAway);
    });
  });
}

async function opened(open: (signal: AbortSignal) => Promise<WorkloadUnderTest>, signal: AbortSignal) {
  const { clusters, namespace } = await open(signal);
  const api: WorkloadApi = await clusters.connect(aCluster(), signal);
  const map = (data: JsonObject = { a: '1' }, its = 'map'): ManifestObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: its, namespace },
    data,
  });
  return { api, clusters, namespace, map };
}

function labelled(object: ManifestObject): ManifestObject {
  return { ...object, metadata: { ...metadataOf(object), labels: { x: 'y' } } };
}

function metadataOf({ metadata }: JsonObject): JsonObject {
  return isJsonObject(metadata) ? metadata : {};
}

function serverFieldsOf(object: JsonObject): JsonObject {
  const { uid = '', resourceVersion = '' } = metadataOf(object);
  return { uid, resourceVersion };
}
