import assert from 'node:assert/strict';
import { CORE } from '../../client/core-resources.ts';
import type { Patch } from '../../client/kube-client.ts';
import type { KubeObject } from '../../client/kube-object.ts';
import { type ConfigMap, configMap, deployment, type Stage } from './stage.ts';

export function writesContract(stage: Stage): void {
  const made = async (object: ConfigMap, signal: AbortSignal) => {
    const ref = {
      resource: CORE.configMaps,
      namespace: await stage.server.namespace(),
      name: object.metadata.name ?? '',
    };
    return { ref, object: await stage.client.create(ref, object, {}, signal) };
  };
  const patches: { why: string; patch: Patch; want: Record<string, string> | undefined }[] = [
    {
      why: 'merge sets and removes',
      patch: { type: 'merge', patch: { data: { a: null, c: '3' } } },
      want: { b: '2', c: '3' },
    },
    { why: 'merge removes a whole part', patch: { type: 'merge', patch: { data: null } }, want: undefined },
    {
      why: 'JSON adds and removes',
      patch: {
        type: 'json',
        patch: [
          { op: 'remove', path: '/data/a' },
          { op: 'add', path: '/data/c', value: '3' },
        ],
      },
      want: { b: '2', c: '3' },
    },
    {
      why: 'JSON tests first',
      patch: {
        type: 'json',
        patch: [
          { op: 'test', path: '/data/a', value: '1' },
          { op: 'replace', path: '/data/a', value: '9' },
        ],
      },
      want: { a: '9', b: '2' },
    },
  ];
  for (const { why, patch, want } of patches) {
    stage.it(`patches: ${why}`, async (signal) => {
      const { ref } = await made(configMap('one', { a: '1', b: '2' }), signal);
      assert.deepEqual((await stage.client.patch<ConfigMap>(ref, patch, {}, signal)).data, want);
    });
  }

  stage.it('patches keys with a slash in them', async (signal) => {
    const { ref } = await made(configMap('one', {}, { labels: { 'example.com/a': '1' } }), signal);
    const patch = [{ op: 'replace', path: '/metadata/labels/example.com~1a', value: '2' }];
    const after = await stage.client.patch(ref, { type: 'json', patch }, {}, signal);
    assert.deepEqual(after.metadata.labels, { 'example.com/a': '2' });
  });

  stage.it('refuses a JSON patch whose test does not hold', async (signal) => {
    const { ref } = await made(configMap('one', { a: '1' }), signal);
    const patch = [
      { op: 'test', path: '/data/a', value: '2' },
      { op: 'remove', path: '/data/a' },
    ];
    await assert.rejects(stage.client.patch(ref, { type: 'json', patch }, {}, signal), { code: 'INVALID' });
    assert.deepEqual((await stage.client.get<ConfigMap>(ref, signal)).data, { a: '1' });
  });

  stage.it('guards a patch by version', async (signal) => {
    const { ref, object } = await made(configMap('one'), signal);
    const patch = (data: object) =>
      ({ type: 'merge', patch: { metadata: { resourceVersion: object.metadata.resourceVersion }, data } }) as const;
    await stage.client.patch(ref, patch({ a: '1' }), {}, signal);
    await assert.rejects(stage.client.patch(ref, patch({ a: '2' }), {}, signal), { code: 'CONFLICT' });
  });

  stage.it('merges lists by key in a strategic patch', async (signal) => {
    const ref = { resource: CORE.deployments, namespace: await stage.server.namespace(), name: 'web' };
    await stage.client.create(ref, deployment('web'), {}, signal);
    const patch = { spec: { template: { spec: { containers: [{ name: 'side', image: 'none' }] } } } };
    const after = await stage.client.patch<
      KubeObject & { spec: { template: { spec: { containers: { name: string }[] } } } }
    >(ref, { type: 'strategic', patch }, {}, signal);
    assert.deepEqual(after.spec.template.spec.containers.map(({ name }) => name).toSorted(), ['main', 'side']);
  });

  stage.it('applies, and keeps to its own fields', async (signal) => {
    const ref = { resource: CORE.configMaps, namespace: await stage.server.namespace(), name: 'one' };
    const apply = (data: Record<string, string>, fieldManager: string, force = false) =>
      stage.client.apply<ConfigMap>(ref, configMap('one', data), { fieldManager, force }, signal);
    await apply({ a: '1', b: '1' }, 'left');
    await apply({ c: '2' }, 'right');
    assert.deepEqual((await apply({ a: '1' }, 'left')).data, { a: '1', c: '2' });
    await assert.rejects(apply({ a: '3' }, 'right'), { code: 'CONFLICT' });
    assert.deepEqual((await apply({ a: '3' }, 'right', true)).data, { a: '3' });
  });

  stage.it('deletes, and says that it is gone', async (signal) => {
    const { ref } = await made(configMap('one'), signal);
    assert.equal(await stage.client.delete(ref, {}, signal), undefined);
    await assert.rejects(stage.client.delete(ref, {}, signal), { code: 'NOT_FOUND' });
  });

  stage.it('deletes what has finalizers once they are gone', async (signal) => {
    const { ref } = await made(configMap('one', {}, { finalizers: ['example.com/wait'] }), signal);
    const left = await stage.client.delete<ConfigMap>(ref, {}, signal);
    assert.ok(left?.metadata.deletionTimestamp);
    const add = {
      type: 'merge',
      patch: { metadata: { finalizers: ['example.com/wait', 'example.com/more'] } },
    } as const;
    await assert.rejects(stage.client.patch(ref, add, {}, signal), { code: /INVALID|FORBIDDEN/ });
    await stage.client.patch(ref, { type: 'merge', patch: { metadata: { finalizers: null } } }, {}, signal);
    await assert.rejects(stage.client.get(ref, signal), { code: 'NOT_FOUND' });
  });

  stage.it('deletes only what it was told about', async (signal) => {
    const { ref, object } = await made(configMap('one'), signal);
    const uid = object.metadata.uid ?? '';
    const wrong = '00000000-0000-0000-0000-000000000000';
    await assert.rejects(stage.client.delete(ref, { uid: wrong }, signal), { code: 'CONFLICT' });
    await assert.rejects(stage.client.delete(ref, { uid, resourceVersion: '1' }, signal), { code: 'CONFLICT' });
    const resourceVersion = object.metadata.resourceVersion ?? '';
    assert.equal(await stage.client.delete(ref, { uid, resourceVersion }, signal), undefined);
  });

  stage.it('leaves an owner in place while its dependents are to go first', async (signal) => {
    const { ref } = await made(configMap('owner'), signal);
    const left = await stage.client.delete(ref, { propagation: 'Foreground' }, signal);
    assert.deepEqual(left?.metadata.finalizers, ['foregroundDeletion']);
    await stage.client.patch(ref, { type: 'merge', patch: { metadata: { finalizers: null } } }, {}, signal);
  });

  stage.it('keeps a namespace until it is empty', async (signal) => {
    const name = await stage.server.namespace();
    const left = await stage.client.delete({ resource: CORE.namespaces, name }, {}, signal);
    assert.ok(left?.metadata.deletionTimestamp);
    const ref = { resource: CORE.configMaps, namespace: name };
    await assert.rejects(stage.client.create(ref, configMap('late'), {}, signal), { code: 'FORBIDDEN' });
  });

  stage.it('deletes all that a selector finds', async (signal) => {
    const ref = { resource: CORE.configMaps, namespace: await stage.server.namespace() };
    for (const name of ['a', 'b', 'c']) {
      const labels: Record<string, string> = name === 'b' ? { mine: 'yes', keep: 'yes' } : { mine: 'yes' };
      await stage.client.create(ref, configMap(name, {}, { labels }), {}, signal);
    }
    await stage.client.deleteCollection(ref, { labelSelector: 'mine,!keep' }, signal);
    const left = await stage.client.list(ref, { labelSelector: 'mine' }, signal);
    assert.deepEqual(
      left.items.map(({ metadata }) => metadata.name),
      ['b'],
    );
  });
}
