import assert from 'node:assert/strict';
import { CORE } from '../../client/core-resources.ts';
import type { WatchEvent, WatchOptions } from '../../client/kube-client.ts';
import { type ConfigMap, configMap, customKind, type Stage } from './stage.ts';

export function watchesContract(stage: Stage): void {
  const begin = async (signal: AbortSignal) => {
    const ref = { resource: CORE.configMaps, namespace: await stage.server.namespace() };
    const { metadata } = await stage.client.list(ref, {}, signal);
    return { ref, resourceVersion: metadata.resourceVersion };
  };
  type Begun = Awaited<ReturnType<typeof begin>>;
  /** The first events, without bookmarks, as `TYPE name`. */
  const take = async (count: number, { ref, ...options }: Begun & Partial<WatchOptions>, signal: AbortSignal) => {
    const seen: string[] = [];
    for await (const event of stage.client.watch<ConfigMap>(ref, options, signal)) {
      if (event.type === 'BOOKMARK') continue;
      seen.push(`${event.type} ${event.object.metadata.name}`);
      if (seen.length === count) return seen;
    }
    throw new Error(`the watch ended after ${seen.join(', ')}`);
  };

  stage.it('tells what came after a version, and goes on', async (signal) => {
    const begun = await begin(signal);
    const one = { ...begun.ref, name: 'one' };
    await stage.client.create(begun.ref, configMap('one'), {}, signal);
    const watching = take(4, begun, signal);
    await stage.client.patch(one, { type: 'merge', patch: { data: { a: 'b' } } }, {}, signal);
    await stage.client.delete(one, {}, signal);
    await stage.client.create(begun.ref, configMap('two'), {}, signal);
    assert.deepEqual(await watching, ['ADDED one', 'MODIFIED one', 'DELETED one', 'ADDED two']);
  });

  stage.it('gives whole objects, with versions to resume from', async (signal) => {
    const begun = await begin(signal);
    for (const name of ['one', 'two', 'three'])
      await stage.client.create(begun.ref, configMap(name, { name }), {}, signal);
    let resourceVersion = '';
    for await (const event of stage.client.watch<ConfigMap>(begun.ref, begun, signal)) {
      assert.ok(event.type === 'ADDED');
      assert.deepEqual(event.object.data, { name: 'one' });
      assert.equal(event.object.kind, 'ConfigMap');
      resourceVersion = event.object.metadata.resourceVersion ?? '';
      break;
    }
    assert.deepEqual(await take(2, { ref: begun.ref, resourceVersion }, signal), ['ADDED two', 'ADDED three']);
  });

  stage.it('tells a selector who came and went', async (signal) => {
    const begun = await begin(signal);
    const relabel = (value: string) =>
      stage.client.patch(
        { ...begun.ref, name: 'one' },
        { type: 'merge', patch: { metadata: { labels: { on: value } } } },
        {},
        signal,
      );
    await stage.client.create(begun.ref, configMap('one'), {}, signal);
    await relabel('yes');
    await relabel('no');
    await relabel('yes');
    const seen = await take(3, { ...begun, labelSelector: 'on=yes' }, signal);
    assert.deepEqual(seen, ['ADDED one', 'DELETED one', 'ADDED one']);
  });

  stage.it('keeps to its namespace and its kind', async (signal) => {
    const [begun, other] = [await begin(signal), await begin(signal)];
    await stage.client.create(other.ref, configMap('elsewhere'), {}, signal);
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'secret' } };
    await stage.client.create({ ...begun.ref, resource: CORE.secrets }, secret, {}, signal);
    await stage.client.create(begun.ref, configMap('here'), {}, signal);
    assert.deepEqual(await take(1, begun, signal), ['ADDED here']);
  });

  stage.it('ends when its time is up, with a bookmark to go on from', async (signal) => {
    const [begun, other] = [await begin(signal), await begin(signal)];
    await stage.client.create(begun.ref, configMap('one'), {}, signal);
    const events: WatchEvent[] = [];
    for await (const event of stage.client.watch(begun.ref, { ...begun, timeoutSeconds: 5 }, signal)) {
      events.push(event);
      if (event.type !== 'ADDED') continue;
      // A change that this watch does not see, so that the bookmark has a newer version.
      await stage.client.create(other.ref, configMap('elsewhere'), {}, signal);
    }
    const [first, last] = [events[0], events.at(-1)];
    assert.ok(first?.type === 'ADDED');
    assert.ok(last?.type === 'BOOKMARK');
    assert.ok(Number(last.resourceVersion) > Number(first.object.metadata.resourceVersion));
  });

  stage.it('says that a version is too old', async (signal) => {
    const { ref } = await begin(signal);
    const resource = customKind();
    await stage.server.serve(resource);
    const old = { ref: { ...ref, resource }, resourceVersion: '1' };
    await assert.rejects(take(1, old, signal), { code: 'EXPIRED' });
  });

  stage.it("ends with the signal's reason", async (signal) => {
    const begun = await begin(signal);
    const stop = new AbortController();
    const reason = new Error('enough');
    const watching = take(2, begun, stop.signal);
    await stage.client.create(begun.ref, configMap('one'), {}, signal);
    stop.abort(reason);
    await assert.rejects(watching, reason);
  });

  stage.it('carries many watches, and requests beside them', async (signal) => {
    const begun = await begin(signal);
    const watching = Array.from({ length: 150 }, () => take(1, begun, signal));
    await stage.client.create(begun.ref, configMap('one'), {}, signal);
    for (const seen of await Promise.all(watching)) assert.deepEqual(seen, ['ADDED one']);
  });
}
