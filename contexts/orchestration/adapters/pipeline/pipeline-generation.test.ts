import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { DeliveryOrder } from '#protocol/delivery';
import { eachDatabase } from '#testing/databases';
import { CountingManifest } from '../../testing/pipeline/counting-manifest.ts';
import { aRun, inline } from '../../testing/pipeline/pipeline-run.ts';

const COUNTED = { manifest: { type: 'counting' } };

function textOf(order: DeliveryOrder): string {
  return order.kind === 'deliver' ? (order.documents[0]?.['text'] as string) : '';
}

eachDatabase('generation', (fresh) => {
  it('is once for the plan and the delivery, of which the plan knows the hash', async (t) => {
    const counting = new CountingManifest();
    const run = await aRun(t, await fresh(), { manifests: [counting] });
    run.fleet.addMany(5);
    const uid = await run.create('web', COUNTED);
    await run.idle(uid);
    await run.untilRested(uid);
    await run.trigger(uid, { kind: 'regenerate', why: 'an addon says so' });
    await run.until(uid, 'the second', (its) => its.revision === 2 && its.rollout === undefined);
    assert.deepEqual(
      counting.calls.map(({ revision }) => revision),
      [1, 1, 1, 1, 1, 2, 2, 2, 2, 2],
    );
    const delivered = run.fleet.dispatched.map((order) => `${order.target.name} ${textOf(order)}`);
    assert.deepEqual(delivered.toSorted(), counting.calls.map(({ target, text }) => `${target} ${text}`).toSorted());
  });

  it('is once for content that is the same for all', async (t) => {
    const counting = new CountingManifest();
    const uniform = Object.assign(counting, { isUniform: true });
    const run = await aRun(t, await fresh(), { manifests: [uniform] });
    run.fleet.addMany(250);
    const uid = await run.create('web', { ...COUNTED, rollout: { type: 'rolling', batchSize: '50%' } });
    await run.idle(uid);
    assert.equal(counting.calls.length, 1);
    assert.deepEqual(new Set(run.fleet.dispatched.map(textOf)), new Set(['call 0']));
  });

  it('is not repeated after a crash for what is stored', async (t) => {
    const counting = new CountingManifest();
    const run = await aRun(t, await fresh(), { manifests: [counting] });
    run.fleet.addMany(4);
    const rollout = { type: 'rolling', batchSize: 1 };
    const uid = await run.create('web', { ...COUNTED, rollout });
    await run.idle(uid);
    await run.untilRested(uid);
    counting.calls.splice(0);
    await run.change(uid, () => ({ rolloutState: 'paused' }), [{ kind: 'regenerate', why: 'an addon says so' }]);
    await run.until(uid, 'a plan', (its) => its.rollout === 2);
    await run.restart();
    await run.change(uid, () => ({ rolloutState: 'running' }));
    await run.until(uid, 'the second', (its) => its.revision === 2 && its.rollout === undefined);
    assert.equal(counting.calls.length, 4);
    assert.deepEqual(counting.repeated(), []);
  });

  it('is repeated for a target whose declared fields changed, and for no other', async (t) => {
    const counting = new CountingManifest();
    const run = await aRun(t, await fresh(), { manifests: [counting] });
    const [first = run.fleet.add('none'), second = first] = run.fleet.addMany(3);
    const uid = await run.create('web', { ...COUNTED, rollout: { type: 'rolling', batchSize: 1 } });
    await run.idle(uid);
    await run.untilRested(uid);
    counting.calls.splice(0);
    await run.change(uid, () => ({ rolloutState: 'paused' }), [{ kind: 'regenerate', why: 'an addon says so' }]);
    await run.until(uid, 'a plan', (its) => its.rollout === 2);
    run.fleet.change(first, { labels: { tier: 'gold' } });
    run.fleet.change(second, { labels: { other: 'label' } });
    await run.change(uid, () => ({ rolloutState: 'running' }));
    await run.until(uid, 'the second', (its) => its.revision === 2 && its.rollout === undefined);
    assert.deepEqual(
      counting.calls.slice(3).map(({ target }) => target),
      ['t00000'],
    );
  });

  it('is repeated when the strategy announces another output while a rollout is under way', async (t) => {
    const counting = new CountingManifest();
    const run = await aRun(t, await fresh(), { manifests: [counting] });
    const [, , third = run.fleet.add('none')] = run.fleet.addMany(3);
    const uid = await run.create('web', { ...COUNTED, rollout: { type: 'rolling', batchSize: 1 } });
    await run.idle(uid);
    await run.untilRested(uid);
    await run.change(uid, () => ({ rolloutState: 'paused' }), [{ kind: 'regenerate', why: 'an addon says so' }]);
    await run.until(uid, 'a plan', (its) => its.rollout === 2);
    counting.calls.splice(0);
    await run.trigger(uid, { kind: 'regenerate', targets: [third], why: 'once more' });
    await run.change(uid, () => ({ rolloutState: 'running' }));
    await run.until(uid, 'the second', (its) => its.revision === 2 && its.rollout === undefined);
    assert.deepEqual(
      counting.calls.map(({ target }) => target),
      ['t00002'],
    );
    assert.equal(run.fleet.dispatched.findLast(({ target }) => target.id === third)?.kind, 'deliver');
  });

  it('that fails for one target does not hold up the plan, nor the others, and is reported for it', async (t) => {
    const counting = new CountingManifest();
    const run = await aRun(t, await fresh(), { manifests: [counting] });
    run.fleet.addMany(3);
    const uid = await run.create('web', { ...COUNTED, rollout: { type: 'immediate', maxFailures: '100%' } });
    await run.idle(uid);
    await run.untilRested(uid);
    let tries = 0;
    counting.before = ({ target }) => {
      if (target.name !== 't00001') return;
      tries += 1;
      throw new Error('no such repository');
    };
    await run.trigger(uid, { kind: 'regenerate', why: 'an addon says so' });
    const end = await run.until(uid, 'the second', (its) => its.revision === 2 && its.rollout === undefined);
    const rows = await run.rows(uid);
    assert.deepEqual(
      [...rows.values()].map(({ applied }) => applied?.revision),
      [2, 1, 2],
    );
    assert.deepEqual(rows.get('t00001')?.failure?.reason, 'GenerateFailed');
    assert.match(rows.get('t00001')?.failure?.message ?? '', /no such repository/);
    assert.equal(end.status.trouble, undefined);
    // Once for the plan, and five times for the delivery.
    assert.equal(tries, 6);
  });

  it('that does not answer is ended, and delays no other target', async (t) => {
    const counting = new CountingManifest();
    const run = await aRun(t, await fresh(), { manifests: [counting], settings: { generateMs: 50, generateWidth: 2 } });
    run.fleet.addMany(5);
    counting.before = async ({ target }) => {
      if (target.name === 't00000') await new Promise(() => {});
    };
    const uid = await run.create('web', { ...COUNTED, rollout: { type: 'immediate', maxFailures: '100%' } });
    await run.idle(uid);
    const rows = await run.rows(uid);
    assert.match(rows.get('t00000')?.failure?.message ?? '', /did not answer within 50 ms/);
    assert.equal([...rows.values()].filter(({ applied }) => applied?.revision === 1).length, 4);
  });

  for (const { why, width, want } of [
    { why: 'as many at once as is set', width: Number.POSITIVE_INFINITY, want: 7 },
    { why: 'as many at once as the strategy declares, if that is fewer', width: 3, want: 3 },
  ]) {
    it(`is for ${why}, in the plan and in the delivery`, async (t) => {
      const counting = Object.assign(new CountingManifest(), { width, latencyMs: 2 });
      const run = await aRun(t, await fresh(), { manifests: [counting], settings: { generateWidth: 7 } });
      run.fleet.addMany(40);
      const uid = await run.create('web', COUNTED);
      await run.idle(uid);
      assert.equal(counting.most, want);
      counting.most = 0;
      await run.untilRested(uid);
      await run.trigger(uid, { kind: 'regenerate', why: 'an addon says so' });
      await run.until(uid, 'the second', (its) => its.revision === 2 && its.rollout === undefined);
      assert.equal(counting.most, want);
      assert.deepEqual(counting.repeated(), []);
    });
  }

  it('for a plan that is made again, because its placement was in doubt, is of what has changed since', async (t) => {
    const counting = new CountingManifest();
    let isSynced = true;
    const placement = {
      type: 'synced',
      chooses: 'each',
      faults: () => [],
      choose: (_: unknown, pool: readonly { readonly id: never }[]) => {
        if (!isSynced) throw new Error('the source is not synced');
        return { chosen: pool.map(({ id }) => id) };
      },
    } as const;
    const run = await aRun(t, await fresh(), { manifests: [counting], placements: [placement as never] });
    const [, second = run.fleet.add('none')] = run.fleet.addMany(2);
    const uid = await run.create('web', { ...COUNTED, placement: [{ type: 'synced' }] });
    await run.idle(uid);
    await run.untilRested(uid);
    counting.calls.splice(0);
    isSynced = false;
    await run.trigger(uid, { kind: 'scores' }, { kind: 'regenerate', why: 'an addon says so' });
    await run.until(uid, 'doubt', (its) => its.status.trouble?.reason === 'PlacementUnsure');
    assert.equal(counting.calls.length, 2);
    // Still in doubt, so that no plan without this change can end the rollout.
    await run.trigger(uid, { kind: 'regenerate', targets: [second], why: 'once more' });
    await run.until(uid, 'the change', () => counting.calls.length > 2);
    isSynced = true;
    await run.until(uid, 'the second', (its) => its.revision === 2 && its.rollout === undefined);
    assert.deepEqual(
      counting.calls.slice(2).map(({ target }) => target),
      ['t00001'],
    );
  });

  it('is by strategies that are registered later, for deployments that wait for them', async (t) => {
    const run = await aRun(t, await fresh());
    run.fleet.addMany(2);
    const uid = await run.create('web', COUNTED);
    const blocked = await run.until(uid, 'trouble', (its) => its.status.trouble?.reason === 'ManifestFailed');
    // The longer it lasts, the longer is the wait: it would take minutes until the next look.
    const trouble = { ...blocked.status.trouble, since: 0 } as NonNullable<typeof blocked.status.trouble>;
    await run.change(uid, ({ status }) => ({ status: { ...status, trouble } }));
    await run.untilHeard(uid);
    await run.register({ manifests: [new CountingManifest()] });
    await run.idle(uid);
    assert.equal(run.fleet.dispatched.length, 2);
    await assert.rejects(run.register({ manifests: [new CountingManifest()] }), /two manifest strategies/);
  });

  it('does not happen for documents that the spec spells out: plan and delivery take them from there', async (t) => {
    const run = await aRun(t, await fresh());
    run.fleet.addMany(2);
    const uid = await run.create('web', { manifest: inline('one'), rolloutState: 'paused' });
    await run.until(uid, 'a plan', (its) => its.rollout === 1);
    assert.deepEqual(await run.generated(uid), []);
    await run.change(uid, () => ({ rolloutState: 'running' }));
    await run.idle(uid);
    assert.deepEqual(
      new Set(run.fleet.dispatched.map((order) => order.kind === 'deliver' && order.documents.length)),
      new Set([1]),
    );
    assert.deepEqual(await run.generated(uid), []);
  });

  it('leaves nothing behind once the rollout is over', async (t) => {
    const run = await aRun(t, await fresh(), { manifests: [new CountingManifest()] });
    run.fleet.addMany(2);
    const [one, two] = [await run.create('one', COUNTED), await run.create('two', { manifest: inline('two') })];
    for (const uid of [one, two]) await run.idle(uid);
    assert.deepEqual(await run.generated(one), []);
    assert.deepEqual(await run.generated(two), []);
  });
});
