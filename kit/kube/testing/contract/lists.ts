import assert from 'node:assert/strict';
import { CORE } from '../../client/core-resources.ts';
import type { KubeList, KubeObject } from '../../client/kube-object.ts';
import { listAll } from '../../client/list-all.ts';
import { configMap, type Stage } from './stage.ts';

export function listsContract(stage: Stage): void {
  /** A namespace with this many objects, of which every other has the label `even`. */
  const filled = async (count: number, signal: AbortSignal) => {
    const ref = { resource: CORE.configMaps, namespace: await stage.server.namespace() };
    await Promise.all(
      Array.from({ length: count }, (_, index) => {
        const labels: Record<string, string> = index % 2 === 0 ? { even: 'yes', n: `${index}` } : { n: `${index}` };
        return stage.client.create(ref, configMap(`c-${String(index).padStart(3, '0')}`, {}, { labels }), {}, signal);
      }),
    );
    return ref;
  };
  const names = ({ items }: KubeList) =>
    items.map(({ metadata }) => metadata.name).filter((name) => name?.startsWith('c-'));

  stage.it('lists a namespace, in order, each item with its kind', async (signal) => {
    const list = await stage.client.list(await filled(3, signal), { labelSelector: 'n' }, signal);
    assert.deepEqual(names(list), ['c-000', 'c-001', 'c-002']);
    for (const { kind, apiVersion } of list.items)
      assert.deepEqual({ kind, apiVersion }, { kind: 'ConfigMap', apiVersion: 'v1' });
    assert.match(list.metadata.resourceVersion, /^\d+$/);
  });

  stage.it('lists every namespace when none is named', async (signal) => {
    const [a, b] = [await filled(1, signal), await filled(1, signal)];
    const list = await stage.client.list({ resource: CORE.configMaps }, {}, signal);
    const places = new Set(list.items.map(({ metadata }) => metadata.namespace));
    assert.ok(places.has(a.namespace) && places.has(b.namespace));
  });

  for (const { selector, want } of [
    { selector: 'even', want: ['c-000', 'c-002'] },
    { selector: 'even=yes', want: ['c-000', 'c-002'] },
    { selector: '!even,n', want: ['c-001', 'c-003'] },
    { selector: 'n in (1, 2)', want: ['c-001', 'c-002'] },
    { selector: 'n,n notin (1,2)', want: ['c-000', 'c-003'] },
    { selector: 'n!=3,n', want: ['c-000', 'c-001', 'c-002'] },
  ]) {
    stage.it(`selects by label: ${selector}`, async (signal) => {
      assert.deepEqual(
        names(await stage.client.list(await filled(4, signal), { labelSelector: selector }, signal)),
        want,
      );
    });
  }

  stage.it('selects by field', async (signal) => {
    const ref = await filled(3, signal);
    assert.deepEqual(names(await stage.client.list(ref, { fieldSelector: 'metadata.name=c-001' }, signal)), ['c-001']);
  });

  stage.it('lists in chunks of one moment', async (signal) => {
    const ref = await filled(5, signal);
    const first = await stage.client.list(ref, { limit: 2, labelSelector: 'n' }, signal);
    assert.equal(first.items.length, 2);
    await stage.client.create(ref, configMap('c-999', {}, { labels: { n: '999' } }), {}, signal);
    const second = await stage.client.list(
      ref,
      { limit: 5, labelSelector: 'n', continue: first.metadata.continue ?? '' },
      signal,
    );
    assert.deepEqual([...names(first), ...names(second)], ['c-000', 'c-001', 'c-002', 'c-003', 'c-004']);
    assert.ok(!second.metadata.continue);
  });

  stage.it('gathers all chunks', async (signal) => {
    const ref = await filled(7, signal);
    let mapped = 0;
    const map = (object: KubeObject): KubeObject => {
      mapped += 1;
      return object;
    };
    const all = await listAll(stage.client, ref, { chunk: 3, labelSelector: 'n', map }, signal);
    assert.equal(mapped, 7);
    assert.deepEqual(names(all), names(await stage.client.list(ref, { labelSelector: 'n' }, signal)));
    assert.ok(!all.metadata.continue);
  });

  stage.it('refuses a token that it did not give', async (signal) => {
    const ref = await filled(1, signal);
    await assert.rejects(stage.client.list(ref, { limit: 1, continue: 'nonsense' }, signal), {
      code: /EXPIRED|BAD_REQUEST/,
    });
  });
}
