import assert from 'node:assert/strict';
import { PATIENCE_MS } from '#testing/patience';
import { CORE } from '../../client/core-resources.ts';
import { type ConfigMap, configMap, type Stage } from './stage.ts';

export function objectsContract(stage: Stage): void {
  const place = async () => ({ resource: CORE.configMaps, namespace: await stage.server.namespace() });

  stage.it('gives back what was created, with what the server adds', async (signal) => {
    const ref = await place();
    const made = await stage.client.create(ref, configMap('one', { text: 'ü 漢 𝄞\n"' }), {}, signal);
    assert.deepEqual(made.data, { text: 'ü 漢 𝄞\n"' });
    assert.equal(made.metadata.namespace, ref.namespace);
    for (const field of ['uid', 'resourceVersion', 'creationTimestamp'] as const)
      assert.ok(made.metadata[field], field);
    const got = await stage.client.get<ConfigMap>({ ...ref, name: 'one' }, signal);
    assert.deepEqual(got, made);
  });

  stage.it('makes up a name from generateName', async (signal) => {
    const ref = await place();
    const nameless: ConfigMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'some-' } };
    const [a, b] = [
      await stage.client.create(ref, nameless, {}, signal),
      await stage.client.create(ref, nameless, {}, signal),
    ];
    assert.match(a.metadata.name ?? '', /^some-.{5}$/);
    assert.notEqual(a.metadata.name, b.metadata.name);
  });

  stage.it('tells apart what is not there, what is there already and what is wrong', async (signal) => {
    const ref = await place();
    await stage.client.create(ref, configMap('one'), {}, signal);
    await assert.rejects(stage.client.get({ ...ref, name: 'two' }, signal), { code: 'NOT_FOUND' });
    await assert.rejects(stage.client.create(ref, configMap('one'), {}, signal), { code: 'ALREADY_EXISTS' });
    const nameless = { apiVersion: 'v1', kind: 'ConfigMap', metadata: {} };
    await assert.rejects(stage.client.create(ref, nameless, {}, signal), { code: 'INVALID' });
    const other = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'x' } };
    await assert.rejects(stage.client.create(ref, other, {}, signal), { code: 'BAD_REQUEST' });
    const nowhere = { ...ref, namespace: `${ref.namespace}-not` };
    await assert.rejects(stage.client.create(nowhere, configMap('x'), {}, signal), { code: 'NOT_FOUND' });
  });

  stage.it("gives the server's Status with the error", async (signal) => {
    const ref = await place();
    await assert.rejects(
      stage.client.get({ ...ref, name: 'two' }, signal),
      (error: { details: Record<string, unknown> }) => {
        const { kind, reason, code } = error.details['status'] as Record<string, unknown>;
        assert.deepEqual({ kind, reason, code }, { kind: 'Status', reason: 'NotFound', code: 404 });
        assert.equal(error.details['httpStatus'], 404);
        return true;
      },
    );
  });

  stage.it('replaces by version', async (signal) => {
    const ref = { ...(await place()), name: 'one' };
    const first = await stage.client.create(ref, configMap('one', { n: '1' }), {}, signal);
    const second = await stage.client.replace(ref, { ...first, data: { n: '2' } }, {}, signal);
    assert.notEqual(second.metadata.resourceVersion, first.metadata.resourceVersion);
    await assert.rejects(stage.client.replace(ref, { ...first, data: { n: '3' } }, {}, signal), { code: 'CONFLICT' });
    assert.deepEqual((await stage.client.get<ConfigMap>(ref, signal)).data, { n: '2' });
  });

  stage.it('keeps the version when nothing changed', async (signal) => {
    const ref = { ...(await place()), name: 'one' };
    const first = await stage.client.create(ref, configMap('one', { n: '1' }), {}, signal);
    const again = await stage.client.replace(ref, first, {}, signal);
    assert.equal(again.metadata.resourceVersion, first.metadata.resourceVersion);
  });

  stage.it('changes nothing in a dry run', async (signal) => {
    const ref = { ...(await place()), name: 'one' };
    const dryRun = true;
    assert.equal((await stage.client.create(ref, configMap('one'), { dryRun }, signal)).metadata.name, 'one');
    await assert.rejects(stage.client.get(ref, signal), { code: 'NOT_FOUND' });
    const first = await stage.client.create(ref, configMap('one', { n: '1' }), {}, signal);
    const dry = await stage.client.replace(ref, { ...first, data: { n: '2' } }, { dryRun }, signal);
    assert.deepEqual(dry.data, { n: '2' });
    await stage.client.delete(ref, { dryRun }, signal);
    assert.deepEqual((await stage.client.get<ConfigMap>(ref, signal)).data, { n: '1' });
  });

  stage.it('refuses unknown fields unless told to', async (signal) => {
    const ref = await place();
    const odd = (name: string) => ({ ...configMap(name), surprise: true });
    await assert.rejects(stage.client.create(ref, odd('a'), {}, signal), { code: 'BAD_REQUEST' });
    await stage.client.create(ref, odd('b'), { fieldValidation: 'Ignore' }, signal);
  });

  stage.it('asks for nothing when the signal is aborted already', async () => {
    const ref = { ...(await place()), name: 'one' };
    const reason = new Error('changed my mind');
    await assert.rejects(stage.client.create(ref, configMap('one'), {}, AbortSignal.abort(reason)), reason);
    await assert.rejects(stage.client.get(ref, AbortSignal.timeout(PATIENCE_MS)), { code: 'NOT_FOUND' });
  });

  stage.it('does not let a name walk to another object', async (signal) => {
    const ref = await place();
    await stage.client.create(ref, configMap('one'), {}, signal);
    for (const name of ['', '.', '..']) {
      assert.throws(() => stage.client.get({ ...ref, name }, signal), { code: 'BAD_REQUEST' });
    }
    await assert.rejects(stage.client.get({ ...ref, name: 'x/../one' }, signal), { code: /NOT_FOUND|BAD_REQUEST/ });
    await assert.rejects(stage.client.get({ ...ref, name: 'one?watch=true' }, signal), { code: 'NOT_FOUND' });
  });
}
