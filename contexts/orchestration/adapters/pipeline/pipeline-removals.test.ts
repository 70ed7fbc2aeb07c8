import assert from 'node:assert/strict';
import { it } from 'node:test';
import { aborted } from '#kit/std';
import { sql } from '#kit/storage';
import { eachDatabase } from '#testing/databases';
import { eventually } from '../../../../kit/durable/testing/eventually.ts';
import { CleaningManifest } from '../../testing/pipeline/cleaning-manifest.ts';
import { aRun, inline, type PipelineRun } from '../../testing/pipeline/pipeline-run.ts';
import { SqlRemovalStore } from '../sql/sql-removal-store.ts';

const CLEANING = { manifest: { type: 'cleaning' } };

async function untilGone(run: PipelineRun, uid: string): Promise<void> {
  await eventually('a deployment that is gone', async () => {
    const query = sql`SELECT (SELECT COUNT(*) FROM deployments WHERE uid = ${uid}) AS n,
      (SELECT COUNT(*) FROM owed_removals WHERE deployment = ${uid}) AS owed`;
    const row = await run.storage.get(query, run.signal);
    return Number(row?.['n']) === 0 && Number(row?.['owed']) === 0;
  });
}

async function untilBlocked(run: PipelineRun, uid: Parameters<PipelineRun['until']>[0], why: RegExp): Promise<void> {
  await run.until(uid, `a deployment that waits: ${why}`, ({ status: { trouble } }) => {
    return trouble?.reason === 'CleanupPending' && why.test(trouble.message);
  });
}

eachDatabase('what a strategy is owed after a removal', (fresh) => {
  it('is one call for each target, with the deployment gone after it', async (t) => {
    const cleaning = new CleaningManifest();
    const run = await aRun(t, await fresh(), { manifests: [cleaning] });
    run.fleet.addMany(3);
    const uid = await run.create('web', CLEANING);
    await run.idle(uid);
    await run.delete(uid);
    await untilGone(run, uid);
    assert.deepEqual(cleaning.effects.toSorted(), ['t00000', 't00001', 't00002']);
    assert.equal(cleaning.calls.length, 3);
    assert.deepEqual(cleaning.calls[0]?.deployment, { uid, name: 'web', workspace: 'shop' });
  });

  it('is repeated with the same key until it succeeds, and the deployment says what it waits for', async (t) => {
    const cleaning = new CleaningManifest();
    const run = await aRun(t, await fresh(), { manifests: [cleaning] });
    run.fleet.addMany(1);
    const uid = await run.create('web', CLEANING);
    await run.idle(uid);
    cleaning.before = () => {
      throw new Error('no such tenant');
    };
    await run.delete(uid);
    await untilBlocked(run, uid, /strategy cleaning .* t00000: no such tenant/);
    assert.deepEqual(await run.rows(uid), new Map(), 'the content is off the target all the same');
    cleaning.before = () => {};
    cleaning.after = () => {
      if (cleaning.calls.length < 4) throw new Error('the answer got lost');
    };
    await untilGone(run, uid);
    assert.deepEqual(cleaning.effects, ['t00000']);
    assert.equal(new Set(cleaning.calls.map(({ idempotencyKey }) => idempotencyKey)).size, 1);
  });

  it('survives a crash in the middle of the call', async (t) => {
    const cleaning = new CleaningManifest();
    const run = await aRun(t, await fresh(), { manifests: [cleaning] });
    run.fleet.addMany(1);
    const uid = await run.create('web', CLEANING);
    await run.idle(uid);
    cleaning.before = async (_, signal) => {
      await aborted(signal);
      signal.throwIfAborted();
    };
    await run.delete(uid);
    await eventually('a call', () => Promise.resolve(cleaning.calls.length > 0));
    await run.stop();
    cleaning.before = () => {};
    const effects = cleaning.effects.length;
    await run.start();
    // As long as the call may still be under way in another process, it is not repeated.
    await run.storage.commit([sql`UPDATE owed_removals SET next_time = 0`], run.signal);
    await untilGone(run, uid);
    assert.equal(effects, 0);
    assert.deepEqual(cleaning.effects, ['t00000']);
  });

  it('waits for a strategy that is not registered after a restart', async (t) => {
    const cleaning = new CleaningManifest();
    const run = await aRun(t, await fresh());
    await run.register({ manifests: [cleaning] });
    run.fleet.addMany(1);
    const uid = await run.create('web', CLEANING);
    await run.idle(uid);
    await run.restart();
    await run.delete(uid);
    await untilBlocked(run, uid, /strategy cleaning .* t00000/);
    await run.register({ manifests: [cleaning] });
    await untilGone(run, uid);
    assert.deepEqual(cleaning.effects, ['t00000']);
  });

  it('is nothing for a target that has the deployment again', async (t) => {
    const cleaning = new CleaningManifest();
    const run = await aRun(t, await fresh(), { manifests: [cleaning] });
    const [first = run.fleet.add('none')] = run.fleet.addMany(2);
    const uid = await run.create('web', CLEANING);
    await run.idle(uid);
    cleaning.before = () => {
      throw new Error('not now');
    };
    const without = [{ type: 'static', targets: ['t00001'] }] as const;
    await run.patch(uid, { placement: without }, ['placement']);
    await run.until(uid, 'one target', (its) => its.rollout === undefined && its.status.counts.placed === 1);
    await eventually('a call', () => Promise.resolve(cleaning.calls.some(({ target }) => target.id === first)));
    await run.patch(uid, { placement: [{ type: 'all' }] }, ['placement']);
    await run.until(uid, 'both', (its) => its.rollout === undefined && its.status.counts.placed === 2);
    cleaning.before = () => {};
    await run.storage.commit([sql`UPDATE owed_removals SET next_time = 0`], run.signal);
    await eventually('nothing owed', async () => {
      const row = await run.storage.get(sql`SELECT COUNT(*) AS n FROM owed_removals`, run.signal);
      return Number(row?.['n']) === 0;
    });
    assert.deepEqual(cleaning.effects, []);
  });

  it('is dropped with a deployment that is abandoned', async (t) => {
    const cleaning = new CleaningManifest();
    const run = await aRun(t, await fresh(), { manifests: [cleaning] });
    run.fleet.addMany(1);
    const uid = await run.create('web', CLEANING);
    await run.idle(uid);
    cleaning.before = () => {
      throw new Error('never');
    };
    await run.delete(uid);
    await untilBlocked(run, uid, /never/);
    await run.trigger(uid, { kind: 'abandon', by: 'ann' });
    await untilGone(run, uid);
    assert.deepEqual(cleaning.effects, []);
  });

  it('is nothing for a strategy that keeps nothing', async (t) => {
    const run = await aRun(t, await fresh());
    run.fleet.addMany(2);
    const uid = await run.create('web', { manifest: inline('one') });
    await run.idle(uid);
    await run.delete(uid);
    await untilGone(run, uid);
  });

  it('is kept while the deployment has the target again, until content was generated for it', async (t) => {
    const cleaning = new CleaningManifest();
    const run = await aRun(t, await fresh(), { manifests: [cleaning] });
    const [first = run.fleet.add('none')] = run.fleet.addMany(2);
    const uid = await run.create('web', CLEANING);
    await run.idle(uid);
    const asPlaced = await run.storage.get(
      sql`SELECT * FROM deployment_targets WHERE deployment = ${uid} AND target = ${first}`,
      run.signal,
    );
    cleaning.before = () => {
      throw new Error('not now');
    };
    await run.patch(uid, { placement: [{ type: 'static', targets: ['t00001'] }] }, ['placement']);
    await run.until(uid, 'one target', (its) => its.rollout === undefined && its.status.counts.placed === 1);
    await eventually('a call', () => Promise.resolve(cleaning.calls.length > 0));
    const claimed = async () =>
      await run.storage.write(async (tx) => {
        await tx.run(sql`UPDATE owed_removals SET next_time = 0`);
        const due = { now: Date.now(), until: Date.now() + 60_000, limit: 10 };
        const calls = await new SqlRemovalStore(tx).claim(due, run.signal);
        const left = await tx.get(sql`SELECT COUNT(*) AS n FROM owed_removals`);
        return [calls.length, Number(left?.['n'])];
      }, run.signal);
    assert.deepEqual(await claimed(), [1, 1], 'off the target');
    const { health, drift } = asPlaced ?? {};
    const row = sql`
      INSERT INTO deployment_targets (deployment, target, name, type, is_placed, is_online, health, health_revision,
        health_message, is_owed, drift, update_time)
      VALUES (${uid}, ${first}, ${'t00000'}, ${'directory'}, ${1}, ${1}, ${String(health)}, ${0}, ${''}, ${0},
        ${String(drift)}, ${0})`;
    await run.storage.commit([row], run.signal);
    assert.deepEqual(await claimed(), [0, 1], 'placed again, and nothing sent yet');
    await run.storage.commit([sql`DELETE FROM deployment_targets WHERE target = ${first}`], run.signal);
    assert.deepEqual(await claimed(), [1, 1], 'placed again and taken out before anything was sent');
    const leaving = sql`UPDATE deployment_targets SET is_placed = 0, applied_revision = 3, applied_hash = 'h'
      WHERE target = ${first}`;
    await run.storage.commit([row, leaving], run.signal);
    assert.deepEqual(await claimed(), [0, 0], 'its content is on the target, and leaves it with a call of its own');
  });
});
