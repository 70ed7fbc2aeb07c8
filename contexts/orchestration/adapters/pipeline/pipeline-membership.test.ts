import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { TargetId } from '#protocol/targets';
import { eachDatabase } from '#testing/databases';
import { eventually } from '../../../../kit/durable/testing/eventually.ts';
import { readRecord, storyOf } from '../../application/revisions/read-timeline.ts';
import type { PlacementStrategy } from '../../domain/placement/placement-strategy.ts';
import { BUILT_IN_GATES } from '../../domain/rollout/gates/built-in-gates.ts';
import { createDecide } from '../../domain/rollout/machine/decide.ts';
import { aRun, inline, type PipelineRun } from '../../testing/pipeline/pipeline-run.ts';

const BLUE = { type: 'selector', matchLabels: { colour: 'blue' } };

/** Chooses all targets, or throws while the test says so. */
function moody(mood: { throws: boolean }): PlacementStrategy {
  return {
    type: 'moody',
    chooses: 'each',
    faults: () => [],
    choose: (_, pool) => {
      if (mood.throws) throw new Error('the source is not synced');
      return { chosen: pool.map(({ id }) => id) };
    },
  };
}

async function relabel(run: PipelineRun, uid: Parameters<PipelineRun['get']>[0], id: TargetId, colour: string) {
  run.fleet.change(id, { labels: { colour } });
  await run.trigger(uid, { kind: 'target', target: id, causes: ['relabel'] });
}

const SCORED = { type: 'scored', top: 2, weights: [{ type: 'reported', score: 'speed', weight: 1 }] };

/** Reports the scores, and lets the deployment know. */
async function score(
  run: PipelineRun,
  values: Readonly<Record<string, number>>,
  uid?: Parameters<PipelineRun['get']>[0],
) {
  const time = Date.now();
  await run.units.write(async (unit) => {
    for (const [id, value] of Object.entries(values)) {
      await unit.scores.put(id as TargetId, 'speed', { value, time }, run.signal);
    }
  }, run.signal);
  if (uid !== undefined) await run.trigger(uid, { kind: 'scores' });
}

async function storyOfRevision(run: PipelineRun, uid: Parameters<PipelineRun['get']>[0], revision: number) {
  const deployment = await run.get(uid);
  const record = await run.units.read(
    (unit) => readRecord(unit, { deployment, revision, target: undefined }, run.signal),
    run.signal,
  );
  const entries = [...storyOf(record, createDecide(BUILT_IN_GATES))].flat();
  return entries.map(({ kind, targets }) => [kind, ...targets.map((id) => record.names.get(id) ?? id)].join(' '));
}

eachDatabase('who has it', (fresh) => {
  it('a target that joins gets it, and nobody else gets it again', async (t) => {
    const run = await aRun(t, await fresh());
    run.fleet.addMany(3);
    const uid = await run.create('web', {});
    await run.idle(uid);
    const late = run.fleet.add('late');
    await run.trigger(uid, { kind: 'target', target: late, causes: [] });
    await run.until(uid, 'the second', (it) => it.revision === 2 && it.rollout === undefined);
    assert.deepEqual(
      run.fleet.dispatched.slice(3).map(({ target }) => target.name),
      ['late'],
    );
    assert.equal((await run.get(uid)).status.counts.available, 4);
  });

  it('one that joins during a rollout is part of it', async (t) => {
    const run = await aRun(t, await fresh());
    const [first] = run.fleet.addMany(2, { script: { health: 'silent' } });
    const uid = await run.create('web', { rollout: { type: 'rolling', batchSize: 1 } });
    await run.until(uid, 'the first', () => run.fleet.dispatched.length === 1);
    const late = run.fleet.add('late');
    await run.trigger(uid, { kind: 'target', target: late, causes: [] });
    await run.until(uid, 'three of them', (it) => it.status.counts.placed === 3);
    for (const id of [first, run.fleet.add('unused')]) if (id === undefined) throw new RangeError('a target');
    for (let sent = 1; sent <= 2; sent += 1) {
      await run.until(uid, 'the next', () => run.fleet.dispatched.length === sent);
      const target = run.fleet.dispatched.at(-1)?.target.id as TargetId;
      await run.fleet.report({
        kind: 'health',
        target,
        deployment: uid,
        revision: 1,
        health: 'Available',
        message: '',
      });
    }
    const end = await run.idle(uid);
    assert.deepEqual([end.revision, end.status.counts.available], [1, 3]);
  });

  it('a rollout that is planned again while a target leaves goes on without it', async (t) => {
    const run = await aRun(t, await fresh());
    const [first] = ['a', 'b'].map((name) =>
      run.fleet.add(name, { labels: { colour: 'blue' }, script: { health: 'silent' } }),
    );
    const rollout = { type: 'rolling', batchSize: 1, maxRemoval: '100%' };
    const uid = await run.create('web', { placement: [BLUE], rollout });
    await run.until(uid, 'the first', () => run.fleet.has(first as TargetId, uid) !== undefined);
    run.fleet.change(first as TargetId, { labels: { colour: 'red' } });
    await run.trigger(
      uid,
      { kind: 'replan', by: 'ann' },
      { kind: 'target', target: first as TargetId, causes: ['relabel'] },
    );
    await run.until(uid, 'the second', () => run.fleet.dispatched.length === 2);
    assert.equal(run.fleet.dispatched[1]?.target.name, 'b');
  });

  it('one that leaves during a rollout is dropped from it, and emptied by the next', async (t) => {
    const run = await aRun(t, await fresh());
    const ids = ['a', 'b', 'c'].map((name) => run.fleet.add(name, { labels: { colour: 'blue' } }));
    const uid = await run.create('web', { placement: [BLUE] });
    await run.idle(uid);
    for (const id of ids) run.fleet.script(id, { health: 'silent' });
    await run.patch(uid, { manifest: inline('two'), rollout: { type: 'rolling', batchSize: 1 } }, [
      'manifest',
      'rollout',
    ]);
    await run.until(uid, 'the first', () => run.fleet.dispatched.length === 4);
    await relabel(run, uid, ids[2] as TargetId, 'red');
    for (const [index, target] of [ids[0], ids[1]].entries()) {
      await run.until(uid, 'the next', () => run.fleet.dispatched.length === 4 + index);
      const said = { target: target as TargetId, deployment: uid, revision: 2 };
      await run.fleet.report({ kind: 'health', ...said, health: 'Available', message: '' });
    }
    await run.until(uid, 'the third', (it) => it.revision === 3 && it.rollout === undefined);
    assert.equal((await run.revision(uid, 2))?.outcome, 'Succeeded');
    assert.deepEqual(
      run.fleet.dispatched.slice(5).map(({ kind, target }) => [kind, target.name]),
      [['remove', 'c']],
    );
    assert.deepEqual([...(await run.rows(uid)).keys()].sort(), ['a', 'b']);
  });

  it('doubt keeps the set, says so, and goes by itself', async (t) => {
    const mood = { throws: false };
    const run = await aRun(t, await fresh(), { placements: [moody(mood)] });
    run.fleet.addMany(3);
    const uid = await run.create('web', { placement: [{ type: 'moody' }] });
    await run.idle(uid);
    mood.throws = true;
    await run.trigger(uid, { kind: 'scores' });
    const unsure = await run.until(uid, 'doubt', (it) => it.status.placement.kind === 'unsure');
    assert.equal(unsure.status.trouble?.reason, 'PlacementUnsure');
    assert.equal(unsure.status.conditions.find(({ type }) => type === 'Placed')?.status, 'Unknown');
    assert.deepEqual([unsure.status.counts.placed, run.fleet.dispatched.length], [3, 3]);
    mood.throws = false;
    await run.trigger(uid, { kind: 'scores' });
    const sure = await run.until(uid, 'no doubt', (it) => it.status.placement.kind === 'sure');
    assert.equal(sure.status.trouble, undefined);
  });

  it('a manifest that cannot be read delivers nothing, removes nothing, and says so', async (t) => {
    const run = await aRun(t, await fresh());
    run.fleet.addMany(2);
    const uid = await run.create('web', {});
    await run.idle(uid);
    await run.patch(uid, { manifest: { type: 'carrier-pigeon' }, placement: [BLUE] }, ['manifest', 'placement']);
    const stuck = await run.until(uid, 'trouble', (it) => it.status.trouble !== undefined);
    assert.equal(stuck.status.trouble?.reason, 'ManifestFailed');
    assert.equal(stuck.status.conditions.find(({ type }) => type === 'Planned')?.status, 'False');
    assert.deepEqual([stuck.revision, run.fleet.dispatched.length, stuck.status.counts.placed], [1, 2, 2]);
    await run.patch(uid, { manifest: inline('two'), placement: [{ type: 'all' }] }, ['manifest', 'placement']);
    await run.until(uid, 'the second', (it) => it.revision === 2 && it.rollout === undefined);
    assert.equal((await run.get(uid)).status.trouble, undefined);
  });

  it('a shrink without a cause is held until it is confirmed', async (t) => {
    const run = await aRun(t, await fresh());
    const ids = ['a', 'b', 'c'].map((name) => run.fleet.add(name, { labels: { colour: 'blue' } }));
    const uid = await run.create('web', { placement: [BLUE] });
    await run.idle(uid);
    run.fleet.change(ids[0] as TargetId, { labels: {} });
    await run.trigger(uid, { kind: 'scores' });
    const held = await run.until(uid, 'a hold', (it) => it.status.placement.held.length === 1);
    assert.equal(held.status.placement.held[0]?.why, 'NoCause');
    assert.equal(held.status.conditions.find(({ type }) => type === 'Placed')?.reason, 'RemovalHeld');
    assert.equal(held.status.counts.placed, 3);
    await run.trigger(uid, { kind: 'confirmRemoval', by: 'ann' });
    await run.until(uid, 'the removal', (it) => it.revision === 2 && it.rollout === undefined);
    assert.equal(run.fleet.has(ids[0] as TargetId, uid), undefined);
    assert.equal((await run.get(uid)).status.counts.placed, 2);
  });

  it('more than maxRemoval wait, even for a cause; those confirmed go', async (t) => {
    const run = await aRun(t, await fresh());
    const ids = Array.from({ length: 6 }, (_, index) =>
      run.fleet.add(`t${index}`, { labels: { colour: index < 3 ? 'red' : 'blue' } }),
    );
    const uid = await run.create('web', {});
    await run.idle(uid);
    await run.patch(uid, { placement: [BLUE] }, ['placement']);
    const held = await run.until(uid, 'a hold', (it) => it.status.placement.held.length === 3);
    assert.deepEqual(
      held.status.placement.held.map(({ why }) => why),
      ['MaxRemoval', 'MaxRemoval', 'MaxRemoval'],
    );
    assert.equal(run.fleet.dispatched.length, 6);
    await run.trigger(uid, { kind: 'confirmRemoval', targets: [ids[0] as TargetId], by: 'ann' });
    await run.until(uid, 'one removal', (it) => it.revision === 2 && it.rollout === undefined);
    assert.deepEqual(
      run.fleet.dispatched.slice(6).map(({ target }) => target.name),
      ['t0'],
    );
    await run.patch(uid, { rollout: { type: 'immediate', maxRemoval: '100%' } }, ['rollout', 'placement']);
    await run.until(uid, 'the others', (it) => it.status.counts.placed === 3 && it.rollout === undefined);
  });

  it('more than maxRemoval that leave during a rollout wait, and are named when it is over', async (t) => {
    const run = await aRun(t, await fresh());
    const ids = ['a', 'b', 'c', 'd'].map((name) => run.fleet.add(name, { labels: { colour: 'blue' } }));
    const uid = await run.create('web', { placement: [BLUE] });
    await run.idle(uid);
    const [first, second, ...others] = ids as [TargetId, TargetId, ...TargetId[]];
    run.fleet.script(first, { health: 'silent' });
    await run.patch(uid, { manifest: inline('two') }, ['manifest']);
    await run.until(uid, 'the second', (it) => it.rollout === 2 && it.status.counts.available === 3);
    for (const id of others) run.fleet.change(id, { labels: {} });
    await run.trigger(uid, ...others.map((target) => ({ kind: 'target', target, causes: ['relabel'] }) as const));
    const said = { deployment: uid, revision: 2, health: 'Available', message: '' } as const;
    await run.fleet.report({ kind: 'health', target: first, ...said });
    const held = await run.until(
      uid,
      'a hold',
      (it) => it.rollout === undefined && it.status.placement.held.length === 2,
    );
    assert.deepEqual(
      held.status.placement.held.map(({ id, why }) => [id, why]),
      others.map((id) => [id, 'MaxRemoval']),
    );
    assert.notEqual(run.fleet.has(second, uid), undefined);
  });

  it('a scored move that is held adds no target, and is one step once it may', async (t) => {
    const run = await aRun(t, await fresh());
    const ids = ['a', 'b', 'c', 'd'].map((name) => run.fleet.add(name));
    const [a, b, c, d] = ids as [TargetId, TargetId, TargetId, TargetId];
    await score(run, { [a]: 50, [b]: 50, [c]: 0, [d]: 0 });
    const uid = await run.create('web', { placement: [SCORED] });
    await run.idle(uid);
    await score(run, { [a]: 0, [b]: 0, [c]: 50, [d]: 50 }, uid);
    const held = await run.until(uid, 'a hold', (it) => it.status.placement.held.length === 2);
    assert.deepEqual(
      held.status.placement.waiting?.map(({ name, why }) => [name, why]),
      [
        ['c', 'NoRoom'],
        ['d', 'NoRoom'],
      ],
    );
    assert.equal(held.status.counts.placed, 2);
    await run.trigger(uid, { kind: 'confirmRemoval', targets: [a], by: 'ann' });
    const half = await run.until(uid, 'one move', (it) => it.revision === 2 && it.rollout === undefined);
    assert.deepEqual([...(await run.rows(uid)).keys()].sort(), ['b', 'c']);
    assert.deepEqual(
      half.status.placement.waiting?.map(({ name }) => name),
      ['d'],
    );
    const story = await storyOfRevision(run, uid, 2);
    assert.deepEqual(story.slice(0, 3), ['planned', 'held b', 'waiting d']);
    // More may leave at once now, so the rest of the move happens: both halves of it.
    await run.patch(uid, { rollout: { type: 'immediate', maxRemoval: '100%' } }, ['rollout']);
    await run.until(uid, 'the other move', (it) => it.revision === 3 && it.rollout === undefined);
    assert.deepEqual([...(await run.rows(uid)).keys()].sort(), ['c', 'd']);
  });

  it('a scored move waits until an earlier one has ended, and then goes on by itself', async (t) => {
    const run = await aRun(t, await fresh());
    const [a, b, c] = ['a', 'b', 'c'].map((name) => run.fleet.add(name)) as [TargetId, TargetId, TargetId];
    await score(run, { [a]: 50, [b]: 0, [c]: 0 });
    const uid = await run.create('web', { placement: [{ ...SCORED, top: 1 }] });
    await run.idle(uid);
    await run.fleet.setOnline(a, false);
    await score(run, { [a]: 0, [b]: 50, [c]: 0 }, uid);
    await run.until(uid, 'a move', (it) => it.status.counts.leaving === 1 && it.rollout === undefined);
    await score(run, { [a]: 0, [b]: 0, [c]: 50 }, uid);
    const held = await run.until(uid, 'a hold', (it) => it.status.placement.held.length === 1);
    assert.deepEqual(
      [held.status.placement.held[0]?.why, held.status.counts.placed, held.status.counts.leaving],
      ['MovesUnfinished', 1, 1],
    );
    await run.fleet.setOnline(a, true);
    await run.until(uid, 'the next move', (it) => it.status.placement.held.length === 0 && it.rollout === undefined);
    assert.deepEqual([...(await run.rows(uid)).keys()], ['c']);
  });

  it('a target that was deleted ceases to be a member, and is not called', async (t) => {
    const run = await aRun(t, await fresh());
    const [first] = run.fleet.addMany(2);
    const uid = await run.create('web', {});
    await run.idle(uid);
    run.fleet.remove(first as TargetId);
    await run.trigger(uid, { kind: 'target', target: first as TargetId, causes: ['deleted'] });
    const end = await run.until(uid, 'one less', (it) => it.status.counts.placed === 1);
    assert.deepEqual([end.revision, run.fleet.dispatched.length], [1, 2]);
  });

  it('a delete takes it off by plan, and then it is gone', async (t) => {
    const run = await aRun(t, await fresh());
    const ids = run.fleet.addMany(3);
    const uid = await run.create('web', {});
    await run.idle(uid);
    await run.delete(uid);
    await run.untilGone(uid);
    for (const id of ids) assert.equal(run.fleet.has(id, uid), undefined);
  });

  it('a delete waits for an offline target, unless it is abandoned', async (t) => {
    const run = await aRun(t, await fresh());
    const [first, second] = [run.fleet.add('a'), run.fleet.add('b')];
    const back = await run.create('web', {});
    const left = await run.create('mail', {});
    await Promise.all([run.idle(back), run.idle(left)]);
    await run.fleet.setOnline(first, false);
    await Promise.all([run.delete(back), run.delete(left)]);
    for (const uid of [back, left]) {
      await run.until(
        uid,
        'one left',
        (it) => it.status.counts.leaving === 1 && it.rollout === undefined && it.revision === 2,
      );
    }
    await run.trigger(left, { kind: 'abandon', by: 'ann' });
    await run.untilGone(left);
    await run.fleet.setOnline(first, true);
    await run.untilGone(back);
    assert.equal(run.fleet.has(first, back), undefined);
    assert.notEqual(run.fleet.has(first, left), undefined);
    assert.equal(run.fleet.has(second, left), undefined);
  });

  it('a delete forgets a target that is deleted before its agent has removed the content', async (t) => {
    const run = await aRun(t, await fresh());
    const [first, second] = [run.fleet.add('a'), run.fleet.add('b')];
    const uid = await run.create('web', {});
    await run.idle(uid);
    run.fleet.script(first, { applying: 'never' });
    await run.delete(uid);
    await eventually('the removal to be with its agent', () =>
      run.fleet.dispatched.some(({ kind, target }) => kind === 'remove' && target.id === first),
    );
    run.fleet.remove(first);
    await run.trigger(uid, { kind: 'target', target: first, causes: ['deleted'] });
    await run.untilGone(uid);
    assert.equal(run.fleet.has(second, uid), undefined);
  });

  it('a deployment that was there before its targets gets to them when they come', async (t) => {
    const run = await aRun(t, await fresh());
    const uid = await run.create('web', { placement: [BLUE] });
    const alone = await run.idle(uid);
    assert.deepEqual([alone.revision, alone.status.counts.placed], [0, 0]);
    const first = run.fleet.add('first', { labels: { colour: 'blue' } });
    await run.trigger(uid, { kind: 'target', target: first, causes: [] });
    await run.until(uid, 'it', (it) => it.status.counts.available === 1);
    assert.equal(run.fleet.has(first, uid)?.revision, 1);
  });

  it('labels that change so that nobody is selected forget nobody: they wait, and then go by plan', async (t) => {
    const run = await aRun(t, await fresh());
    const ids = ['a', 'b', 'c'].map((name) => run.fleet.add(name, { labels: { colour: 'blue' } }));
    const uid = await run.create('web', { placement: [BLUE] });
    await run.idle(uid);
    for (const id of ids) run.fleet.change(id, { labels: {} });
    await run.trigger(uid, ...ids.map((target) => ({ kind: 'target', target, causes: ['relabel'] }) as const));
    const held = await run.until(uid, 'a hold', (it) => it.status.placement.held.length === 3);
    assert.deepEqual([held.status.counts.placed, run.fleet.dispatched.length], [3, 3]);
    await run.trigger(uid, { kind: 'confirmRemoval', by: 'ann' });
    await run.until(uid, 'the removal', (it) => it.revision === 2 && it.rollout === undefined);
    for (const id of ids) assert.equal(run.fleet.has(id, uid), undefined);
    assert.equal((await run.rows(uid)).size, 0);
  });

  it('a link that flaps moves nothing', async (t) => {
    const run = await aRun(t, await fresh());
    const [first = run.fleet.add('none')] = run.fleet.addMany(3);
    const uid = await run.create('web', { placement: [{ type: 'all' }] });
    await run.idle(uid);
    for (const isOnline of [false, true, false]) await run.fleet.setOnline(first, isOnline);
    await run.trigger(uid, { kind: 'scores' });
    await run.untilRested(uid);
    const end = await run.get(uid);
    assert.deepEqual([end.revision, end.status.counts.placed, run.fleet.dispatched.length], [1, 3, 3]);
  });

  it('a plan that cannot be made delivers nothing, removes nothing, and says so', async (t) => {
    const run = await aRun(t, await fresh());
    const [first = run.fleet.add('none')] = run.fleet.addMany(2);
    const uid = await run.create('web', {});
    await run.idle(uid);
    run.fleet.change(first, { labels: { colour: 'blue' } });
    const broken = { manifest: inline('two'), placement: [BLUE], rollout: { type: 'teleport' } };
    await run.patch(uid, broken, ['manifest', 'placement', 'rollout']);
    const stuck = await run.until(uid, 'trouble', (it) => it.status.trouble !== undefined);
    const planned = stuck.status.conditions.find(({ type }) => type === 'Planned');
    assert.deepEqual([planned?.status, planned?.reason], ['False', 'PlanFailed']);
    assert.match(planned?.message ?? '', /unknown rollout type teleport/);
    assert.deepEqual([stuck.revision, run.fleet.dispatched.length, stuck.status.counts.placed], [1, 2, 2]);
    await run.patch(uid, { rollout: { type: 'immediate' } }, ['rollout']);
    await run.until(uid, 'the second', (it) => it.revision === 2 && it.rollout === undefined);
  });
});
