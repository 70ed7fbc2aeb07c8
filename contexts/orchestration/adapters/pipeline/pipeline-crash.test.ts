import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createEmbeddedEngine } from '#kit/durable/embedded';
import { eachDatabase } from '#testing/databases';
import { brokenPromises, needlessDispatches } from '../../testing/pipeline/broken-promises.ts';
import { aRun, inline } from '../../testing/pipeline/pipeline-run.ts';
import { deploymentPipeline } from '../workflows/deployment-pipeline.ts';

const TARGETS = 12;

eachDatabase('a crash', (fresh) => {
  for (const after of [0, 1, 5, TARGETS]) {
    it(`after ${after} deliveries forgets nobody, and delivers nothing twice without need`, async (t) => {
      const run = await aRun(t, await fresh(), { settings: { width: 2 } });
      const ids = run.fleet.addMany(TARGETS, { script: { latencyMs: 2 } });
      const uid = await run.create('web', { rollout: { type: 'rolling', batchSize: 6 } });
      const crashed = Promise.withResolvers<void>();
      if (after === 0) crashed.resolve();
      run.fleet.onDispatch = () => {
        if (run.fleet.dispatched.length + 1 === after) crashed.resolve();
      };
      await crashed.promise;
      await run.stop();
      const known = await run.known(uid);
      const before = run.fleet.dispatched.length;
      await run.start();
      const end = await run.idle(uid);
      assert.deepEqual([end.revision, end.status.counts.available], [1, TARGETS]);
      assert.deepEqual(brokenPromises(end, [...(await run.rows(uid)).values()]), []);
      // Only orders whose acceptance was not on disk at the moment of the crash may be sent again.
      const again = run.fleet.dispatched.slice(before).filter(({ target }) => known.has(target.id));
      assert.deepEqual(again, []);
      assert.deepEqual(needlessDispatches(run.fleet.dispatched, 1), []);
      for (const id of ids) assert.equal(run.fleet.has(id, uid)?.revision, 1);
    });
  }

  it('while a gate is waited for keeps its place, and an idle one costs nothing', async (t) => {
    const run = await aRun(t, await fresh());
    run.fleet.addMany(3);
    const stages = [{ name: 'all', selector: {}, afterTasks: [{ type: 'approval' }] }];
    const uid = await run.create('web', { rollout: { type: 'staged', stages } });
    const [before] = await run.approvals(uid);
    await run.restart();
    const [after] = await run.approvals(uid);
    assert.deepEqual(after, before);
    await run.answer(after, { kind: 'approved', by: 'bob' });
    await run.idle(uid);
    await run.untilRested(uid);
    assert.equal(run.fleet.dispatched.length, 3);
    await run.restart();
    await run.patch(uid, { manifest: inline('two'), rollout: { type: 'immediate' } }, ['manifest', 'rollout']);
    await run.until(uid, 'the second', (it) => it.revision === 2 && it.rollout === undefined);
    assert.equal(run.fleet.dispatched.length, 6);
  });

  it('that lost the answer of a run which is over finds that it is', async (t) => {
    const run = await aRun(t, await fresh());
    run.fleet.addMany(1);
    const uid = await run.create('web', {});
    await run.idle(uid);
    await run.untilRested(uid);
    const registry = { workflows: [deploymentPipeline], activities: [] };
    const { client } = createEmbeddedEngine({ storage: run.storage, registry });
    const again = { id: 'asked-again', input: { deployment: uid, run: 1 } };
    await client.start(deploymentPipeline, again, run.signal);
    assert.equal(await client.result(again.id, run.signal), undefined);
  });

  it('between what an agent said and who waits for it loses nothing: the rollout still ends', async (t) => {
    const run = await aRun(t, await fresh());
    const [first = run.fleet.add('none'), second = first] = run.fleet.addMany(2, { script: { health: 'silent' } });
    const uid = await run.create('web', { rollout: { type: 'rolling', batchSize: 1 } });
    const said = { kind: 'health', deployment: uid, revision: 1, health: 'Available', message: '' } as const;
    for (const target of [first, second]) {
      await run.until(uid, 'its turn', () => run.fleet.has(target, uid) !== undefined);
      await run.untilAccepted(uid, 0);
      await run.fleet.report({ ...said, target });
      await run.restart();
    }
    assert.equal((await run.idle(uid)).status.rollout?.outcome, 'Succeeded');
    assert.equal(run.fleet.dispatched.length, 2);
  });
});
