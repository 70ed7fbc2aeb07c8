import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PATIENCE_MS } from '#testing/patience';
import type { ClusterApi } from '../application/ports.ts';
import { conflictsOf } from '../domain/field-conflict.ts';
import { type KubeObject, keyOf } from '../domain/kube-object.ts';
import { isPreconditionFailure } from '../domain/refusal.ts';

export interface OpenedApi {
  readonly api: ClusterApi;
  readonly namespace: string;
  /** Applies as another manager, with force. */
  readonly applyAs: (manager: string, object: KubeObject) => Promise<void>;
}

const APPLY = { force: false, dryRun: false };

/** The behaviour of a cluster that agents rely on. */
export function clusterApiContract(name: string, open: (signal: AbortSignal) => Promise<OpenedApi>): void {
  describe(`a cluster: ${name}`, { timeout: PATIENCE_MS }, () => {
    const map = (namespace: string, its: string, data: object = { a: '1' }): KubeObject =>
      ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: its, namespace }, data }) as KubeObject;

    it('has what was applied, and leaves what is the same as it is', async (t) => {
      const { api, namespace } = await open(t.signal);
      const object = map(namespace, 'same');
      assert.equal(await api.get(keyOf(object), t.signal), undefined);
      const [first, second] = [await api.apply(object, APPLY, t.signal), await api.apply(object, APPLY, t.signal)];
      assert.ok(first.kind === 'done' && second.kind === 'done');
      assert.equal(first.object.metadata.resourceVersion, second.object.metadata.resourceVersion);
      assert.equal((await api.get(keyOf(object), t.signal))?.metadata.uid, first.object.metadata.uid);
    });

    it('keeps nothing of a dry run', async (t) => {
      const { api, namespace } = await open(t.signal);
      const object = map(namespace, 'dry');
      assert.equal((await api.apply(object, { force: false, dryRun: true }, t.signal)).kind, 'done');
      assert.equal(await api.get(keyOf(object), t.signal), undefined);
    });

    it('names who has a field, and gives it to who takes it', async (t) => {
      const { api, namespace, applyAs } = await open(t.signal);
      const object = map(namespace, 'fields');
      await applyAs('somebody', map(namespace, 'fields', { a: '9' }));
      const refused = await api.apply(object, APPLY, t.signal);
      assert.ok(refused.kind === 'refused');
      assert.deepEqual(conflictsOf(refused.status), [{ manager: 'somebody', fields: ['.data.a'] }]);
      const taken = await api.apply(object, { force: true, dryRun: false }, t.signal);
      assert.ok(taken.kind === 'done' && 'data' in taken.object);
      assert.deepEqual(taken.object.data, { a: '1' });
    });

    it('applies to no other version than the one that is meant', async (t) => {
      const { api, namespace } = await open(t.signal);
      const made = await api.apply(map(namespace, 'version'), APPLY, t.signal);
      assert.ok(made.kind === 'done');
      const { resourceVersion = '' } = made.object.metadata;
      const meant = (value: string): KubeObject => {
        const object = map(namespace, 'version', { a: value });
        return { ...object, metadata: { ...object.metadata, resourceVersion } };
      };
      assert.equal((await api.apply(meant('2'), APPLY, t.signal)).kind, 'done');
      const late = await api.apply(meant('3'), { force: true, dryRun: false }, t.signal);
      assert.ok(late.kind === 'refused' && isPreconditionFailure(late.status), JSON.stringify(late));
      const live = await api.get(keyOf(map(namespace, 'version')), t.signal);
      assert.ok(live !== undefined && 'data' in live);
      assert.deepEqual(live.data, { a: '2' });
    });

    it('applies to no other object than the one that is meant, and deletes no other', async (t) => {
      const { api, namespace } = await open(t.signal);
      const object = map(namespace, 'meant');
      const uid = '00000000-0000-4000-8000-000000000000';
      const meant = { ...object, metadata: { ...object.metadata, uid } };
      const none = await api.apply(meant, APPLY, t.signal);
      assert.ok(none.kind === 'refused' && isPreconditionFailure(none.status));
      const made = await api.apply(object, APPLY, t.signal);
      assert.ok(made.kind === 'done');
      const another = await api.apply(meant, APPLY, t.signal);
      assert.ok(another.kind === 'refused' && isPreconditionFailure(another.status));
      await api.delete(keyOf(object), { uid }, t.signal);
      assert.ok(await api.get(keyOf(object), t.signal));
      const { uid: own = '', resourceVersion } = made.object.metadata;
      const changed = await api.apply(map(namespace, 'meant', { a: '2' }), APPLY, t.signal);
      assert.ok(changed.kind === 'done');
      assert.equal(await api.delete(keyOf(object), { uid: own, resourceVersion }, t.signal), 'changed');
      assert.ok(await api.get(keyOf(object), t.signal));
      const its = { uid: own, resourceVersion: changed.object.metadata.resourceVersion };
      assert.notEqual(await api.delete(keyOf(object), its, t.signal), 'changed');
      assert.equal(await api.get(keyOf(object), t.signal), undefined);
      assert.equal(await api.delete(keyOf(object), { uid }, t.signal), undefined);
      assert.equal(await api.delete(keyOf(object), its, t.signal), undefined);
    });
  });
}
