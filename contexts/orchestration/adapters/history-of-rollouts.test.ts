import assert from 'node:assert/strict';
import { it } from 'node:test';
import { eachDatabase } from '#testing/databases';
import { readRecord, storyOf } from '../application/revisions/read-timeline.ts';
import { BUILT_IN_GATES } from '../domain/rollout/gates/built-in-gates.ts';
import { createDecide } from '../domain/rollout/machine/decide.ts';
import { aRun, inline } from '../testing/pipeline/pipeline-run.ts';
import { purgeRevisions } from './purge-revisions.ts';

const decide = createDecide(BUILT_IN_GATES);
const TEXTS = ['one', 'two', 'three', 'four', 'five'];

eachDatabase('what rollouts leave behind', (fresh) => {
  it('lets a kept revision be brought back after a purge, exactly as it was, and no other', async (t) => {
    const run = await aRun(t, await fresh());
    const [target] = run.fleet.addMany(3);
    assert.ok(target);
    const uid = await run.create('web', { manifest: inline('one') });
    await run.idle(uid);
    for (const text of TEXTS.slice(1)) {
      await run.patch(uid, { manifest: inline(text) }, ['manifest']);
      await run.idle(uid);
    }
    const delivered = (revision: number) =>
      run.units.read((unit) => unit.contents.at({ deployment: uid, revision }, run.signal), run.signal);
    const fourth = await delivered(4);
    const { revisions, contents } = await purgeRevisions({ storage: run.storage, keep: 2 }, run.signal);
    assert.deepEqual([revisions, contents], [3, 3]);
    assert.equal(await run.revision(uid, 3), undefined);

    await run.trigger(uid, { kind: 'rollback', to: 4, paced: false, by: 'ann' });
    const end = await run.until(uid, 'the rollback', (it) => it.revision === 6 && it.rollout === undefined);
    assert.equal(end.status.rollout?.outcome, 'Succeeded');
    assert.deepEqual(await delivered(6), fourth);
    assert.equal(run.fleet.has(target, uid)?.hash, fourth.get(target));
  });

  it('is a story that ends as the rollout did', async (t) => {
    const run = await aRun(t, await fresh());
    run.fleet.addMany(4);
    const uid = await run.create('web', { rollout: { type: 'rolling', batchSize: 2 } });
    const deployment = await run.idle(uid);
    const record = await run.units.read(
      (unit) => readRecord(unit, { deployment, revision: 1, target: undefined }, run.signal),
      run.signal,
    );
    const story = [...storyOf(record, decide)].flat();
    const about = (kind: string) => story.filter((entry) => entry.kind === kind);
    assert.equal(story[0]?.kind, 'planned');
    assert.equal(story.at(-1)?.message, 'the rollout ended as Succeeded');
    assert.deepEqual(
      about('stepDone').map(({ message }) => message),
      ['step batch-1 is done', 'step batch-2 is done'],
    );
    for (const kind of ['sent', 'applied', 'available']) {
      assert.equal(about(kind).flatMap(({ targets }) => targets).length, 4, kind);
    }
  });
});
