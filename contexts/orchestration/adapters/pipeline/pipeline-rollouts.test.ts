import assert from 'node:assert/strict';
import { it } from 'node:test';
import { eachDatabase } from '#testing/databases';
import { aRun, inline } from '../../testing/pipeline/pipeline-run.ts';

const TIERS = ['canary', 'canary', 'prod', 'prod', 'prod'] as const;
const STAGED = {
  type: 'staged',
  stages: [
    { name: 'canary', selector: { matchLabels: { tier: 'canary' } }, afterTasks: [{ type: 'approval' }] },
    { name: 'prod', selector: { matchLabels: { tier: 'prod' } } },
  ],
};

eachDatabase('rollouts', (fresh) => {
  it('immediate reaches all at once; the same again reaches nobody', async (t) => {
    const run = await aRun(t, await fresh());
    const ids = run.fleet.addMany(5);
    const uid = await run.create('web', {});
    const end = await run.idle(uid);
    assert.equal(end.status.rollout?.outcome, 'Succeeded');
    assert.deepEqual([end.status.counts.placed, end.status.counts.available, end.status.counts.underWay], [5, 5, 0]);
    for (const id of ids) assert.equal(run.fleet.has(id, uid)?.revision, 1);

    await run.trigger(uid, { kind: 'regenerate', why: 'an addon says so' });
    await run.untilRested(uid);
    assert.equal(run.fleet.dispatched.length, 5);
    assert.equal((await run.get(uid)).revision, 1);
  });

  it('rolling waits for each batch to be available', async (t) => {
    const run = await aRun(t, await fresh());
    const ids = run.fleet.addMany(6, { script: { health: 'silent' } });
    const uid = await run.create('web', { rollout: { type: 'rolling', batchSize: 2 } });
    let sent = 0;
    for (const batch of [ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)]) {
      await run.until(uid, 'a batch that has it', () => batch.every((id) => run.fleet.has(id, uid) !== undefined));
      await run.until(uid, 'targets to be waited for', (it) => it.status.rollout?.waits[0]?.kind === 'targets');
      assert.equal(run.fleet.dispatched.length, (sent += batch.length));
      for (const target of batch) {
        await run.fleet.report({
          kind: 'health',
          target,
          deployment: uid,
          revision: 1,
          health: 'Available',
          message: '',
        });
      }
    }
    assert.equal((await run.idle(uid)).status.rollout?.outcome, 'Succeeded');
  });

  it('staged goes no further than its gate until somebody approves, and not at all after a no', async (t) => {
    const run = await aRun(t, await fresh());
    for (const [index, tier] of TIERS.entries()) run.fleet.add(`t${index}`, { labels: { tier } });
    const uid = await run.create('web', { rollout: STAGED });
    const [first] = await run.approvals(uid);
    assert.equal(first?.step, 'canary');
    assert.equal(run.fleet.dispatched.length, 2);
    const waits = (await run.get(uid)).status.rollout?.waits ?? [];
    assert.deepEqual(
      waits.map(({ kind, gate }) => [kind, gate]),
      [['gate', first?.gate]],
    );
    await run.answer(first, { kind: 'rejected', by: 'bob', message: 'not today' });
    const paused = await run.until(uid, 'a pause', (it) => it.status.rollout?.phase === 'Paused');
    assert.equal(paused.status.rollout?.reason, 'GateRejected');
    assert.equal(run.fleet.dispatched.length, 2);

    await run.tell(uid, { kind: 'resume' });
    const [second] = await run.approvals(uid);
    assert.notEqual(second?.gate, first?.gate);
    await run.answer(second, { kind: 'approved', by: 'bob' });
    await run.idle(uid);
    assert.equal(run.fleet.dispatched.length, 5);
    assert.deepEqual(await run.openApprovals(uid, 1), []);
  });

  it('a wait gate, a health gate and the health of another deployment open by themselves', async (t) => {
    const run = await aRun(t, await fresh());
    const [first] = run.fleet.addMany(1);
    const database = await run.create('db', { rolloutState: 'paused' });
    const gates = [
      { type: 'wait', duration: '20ms' },
      { type: 'health', stableDuration: '20ms' },
      { type: 'deploymentHealth', deployment: 'db', stableDuration: '10ms' },
    ];
    const stages = [{ name: 'all', selector: {}, afterTasks: gates }];
    const uid = await run.create('web', { rollout: { type: 'staged', stages } });
    await run.until(
      uid,
      'a wait for db',
      ({ status }) => status.rollout?.steps.some(({ gate }) => gate?.type === 'deploymentHealth') === true,
    );
    await run.change(database, () => ({ rolloutState: 'running' }));
    await run.idle(database);
    assert.equal((await run.idle(uid)).status.rollout?.outcome, 'Succeeded');
    assert.notEqual(first, undefined);
  });

  it('a pause begins nothing new, a resume goes on, an abort ends it and calls deliveries back', async (t) => {
    const run = await aRun(t, await fresh());
    const ids = run.fleet.addMany(4, { script: { applying: 'never' } });
    const uid = await run.create('web', { rolloutState: 'paused' });
    await run.until(uid, 'a pause', (it) => it.status.rollout?.phase === 'Paused');
    assert.equal(run.fleet.dispatched.length, 0);
    await run.change(uid, () => ({ rolloutState: 'running' }));
    await run.until(uid, 'deliveries', () => run.fleet.dispatched.length === ids.length);
    await run.untilAccepted(uid, ids.length);
    await run.trigger(uid, { kind: 'abort', by: 'ann' });
    const end = await run.until(uid, 'an end', (it) => it.rollout === undefined);
    assert.equal(end.status.rollout?.outcome, 'Aborted');
    assert.equal(end.status.counts.underWay, 0);
    await run.until(uid, 'cancels', () => run.fleet.cancelled.length === ids.length);
  });

  it('a newer revision supersedes at once, or waits when it is told to queue', async (t) => {
    for (const onCollision of ['supersede', 'queue'] as const) {
      const run = await aRun(t, await fresh());
      const [slow, quick] = [run.fleet.add('a', { script: { health: 'silent' } }), run.fleet.add('b')];
      const uid = await run.create('web', { rollout: { type: 'immediate', onCollision } });
      await run.until(uid, 'the first', (it) => it.status.counts.available === 1);
      await run.patch(uid, { manifest: inline('two') }, ['manifest']);
      if (onCollision === 'queue') {
        await run.until(uid, 'the news', () => true);
        await run.fleet.report({
          kind: 'health',
          target: slow,
          deployment: uid,
          revision: 1,
          health: 'Available',
          message: '',
        });
      }
      run.fleet.script(slow, {});
      await run.until(uid, 'the second', (it) => it.revision === 2);
      await run.until(uid, 'both', () => [slow, quick].every((id) => run.fleet.has(id, uid)?.revision === 2));
      const first = await run.revision(uid, 1);
      assert.equal(first?.outcome, onCollision === 'queue' ? 'Succeeded' : 'Superseded');
    }
  });

  it('failures pause it with a reason, a retry mends it, and a resume accepts them', async (t) => {
    const run = await aRun(t, await fresh());
    const bad = run.fleet.add('bad', { script: { applying: 'fails' } });
    run.fleet.add('good');
    const uid = await run.create('web', {});
    const paused = await run.until(uid, 'a pause', (it) => it.status.rollout?.phase === 'Paused');
    assert.equal(paused.status.rollout?.reason, 'FailuresExceeded');
    assert.equal((await run.rows(uid)).get('bad')?.failure?.reason, 'DeliveryFailed');
    assert.equal(paused.status.counts.failed, 1);
    run.fleet.script(bad, {});
    await run.trigger(uid, { kind: 'retry', by: 'ann' });
    assert.equal((await run.idle(uid)).status.counts.available, 2);

    run.fleet.script(bad, { taking: 'rejects' });
    await run.patch(uid, { manifest: inline('two') }, ['manifest']);
    await run.until(uid, 'a pause', (it) => it.status.rollout?.phase === 'Paused');
    await run.tell(uid, { kind: 'resume' });
    const end = await run.idle(uid);
    assert.equal(end.status.rollout?.outcome, 'Succeeded');
    const row = (await run.rows(uid)).get('bad');
    assert.deepEqual([row?.failure?.reason, row?.isOwed, row?.applied?.revision], ['Rejected', true, 1]);
  });

  it('a target that is not available in time has failed, and says so', async (t) => {
    const run = await aRun(t, await fresh());
    run.fleet.add('mute', { script: { health: 'Degraded' } });
    const uid = await run.create('web', { rollout: { type: 'immediate', progressDeadline: '50ms' } });
    await run.until(uid, 'a pause', (it) => it.status.rollout?.phase === 'Paused');
    assert.equal((await run.rows(uid)).get('mute')?.failure?.reason, 'ProgressDeadline');
  });

  it('a replan brings the rest by the strategy as it is now', async (t) => {
    const run = await aRun(t, await fresh());
    const ids = run.fleet.addMany(4, { script: { health: 'silent' } });
    const uid = await run.create('web', { rollout: { type: 'rolling', batchSize: 1 } });
    await run.until(uid, 'the first', () => run.fleet.dispatched.length === 1);
    await run.patch(uid, { rollout: { type: 'immediate' } }, ['rollout']);
    assert.equal(run.fleet.dispatched.length, 1);
    await run.trigger(uid, { kind: 'replan', by: 'ann' });
    await run.until(uid, 'all', () => run.fleet.dispatched.length === ids.length);
    assert.equal((await run.get(uid)).revision, 1);
  });

  it('a delivery that cannot be handed over is tried again, and then has failed', async (t) => {
    const run = await aRun(t, await fresh());
    run.fleet.add('twice', { script: { taking: { throws: 2 } } });
    const never = run.fleet.add('never', { script: { taking: { throws: 99 } } });
    const uid = await run.create('web', { rollout: { type: 'immediate', maxFailures: 1 } });
    const end = await run.idle(uid);
    assert.equal(end.status.counts.available, 1);
    assert.equal(run.fleet.dispatched.filter(({ target }) => target.id === never).length, 5);
    assert.equal(run.delivered.length, 1, 'what an agent accepted is counted once, and nothing else');
    assert.deepEqual((await run.rows(uid)).get('never')?.failure?.message, 'connection reset');
  });

  it('a fix that comes while health is waited for takes over at once, from the first stage', async (t) => {
    const run = await aRun(t, await fresh());
    const [canary, prod] = [
      run.fleet.add('a', { labels: { tier: 'canary' } }),
      run.fleet.add('b', { labels: { tier: 'prod' } }),
    ];
    const [early, late] = STAGED.stages;
    const stages = [{ ...early, afterTasks: [{ type: 'health', stableDuration: '1s' }] }, late];
    const uid = await run.create('web', { rollout: { type: 'staged', stages } });
    await run.until(
      uid,
      'a gate',
      ({ status }) => status.rollout?.steps.some(({ gate }) => gate?.type === 'health') === true,
    );
    const said = { target: canary, deployment: uid, revision: 1 };
    await run.fleet.report({ kind: 'health', ...said, health: 'Degraded', message: 'it hurts' });
    await run.patch(uid, { manifest: inline('two') }, ['manifest']);
    await run.until(uid, 'the second', (it) => it.revision === 2 && it.rollout === undefined);
    assert.equal((await run.revision(uid, 1))?.outcome, 'Superseded');
    assert.deepEqual(
      run.fleet.dispatched.map(({ target, revision }) => [target.id, revision]),
      [
        [canary, 1],
        [canary, 2],
        [prod, 2],
      ],
    );
  });

  it('an approval does not carry over to a newer revision: it is asked for anew', async (t) => {
    const run = await aRun(t, await fresh());
    for (const [index, tier] of TIERS.entries()) run.fleet.add(`t${index}`, { labels: { tier } });
    const uid = await run.create('web', { rollout: STAGED });
    const [first] = await run.approvals(uid);
    await run.patch(uid, { manifest: inline('two') }, ['manifest']);
    await run.until(uid, 'the second', (it) => it.revision === 2);
    const [second] = await run.approvals(uid);
    assert.deepEqual([first?.revision, second?.revision, second?.step], [1, 2, 'canary']);
    assert.deepEqual(await run.openApprovals(uid, 1), [], 'nobody can approve the old one');
    await run.answer(second, { kind: 'approved', by: 'bob' });
    await run.idle(uid);
    assert.ok(run.fleet.dispatched.every(({ target, revision }) => revision === 2 || target.name < 't2'));
  });

  it('what the agent cannot take is not tried again', async (t) => {
    const run = await aRun(t, await fresh());
    run.fleet.add('picky', { script: { taking: 'rejects' } });
    const uid = await run.create('web', {});
    await run.until(uid, 'a pause', (it) => it.status.rollout?.phase === 'Paused');
    assert.equal(run.fleet.dispatched.length, 1);
    assert.equal((await run.rows(uid)).get('picky')?.failure?.reason, 'Rejected');
  });

  it('a change sends the whole payload, however large, and what did not change in it', async (t) => {
    const run = await aRun(t, await fresh());
    run.fleet.add('one');
    const big = { kind: 'Note', metadata: { name: 'big' }, text: 'x'.repeat(4 * 2 ** 20) };
    const small = (text: string) => ({ kind: 'Note', metadata: { name: 'small' }, text });
    const uid = await run.create('web', { manifest: { type: 'inline', documents: [big, small('one')] } });
    await run.idle(uid);
    await run.patch(uid, { manifest: { type: 'inline', documents: [big, small('two')] } }, ['manifest']);
    await run.until(uid, 'the second', (it) => it.revision === 2 && it.rollout === undefined);
    const last = run.fleet.dispatched.at(-1);
    assert.deepEqual(last?.kind === 'deliver' && last.documents, [big, small('two')]);
  });

  it('a deployment that waits for a plan says so until there is one, also if nothing is left to do', async (t) => {
    const run = await aRun(t, await fresh());
    run.fleet.add('one');
    const uid = await run.create('web', {});
    await run.idle(uid);
    await run.untilRested(uid);
    await run.change(uid, ({ status }) => ({ status: { ...status, awaitsPlan: true } }), [
      { kind: 'retry', by: 'ann' },
    ]);
    const { revision, status } = await run.until(uid, 'a plan', (it) => it.status.awaitsPlan === undefined);
    const progressing = status.conditions.find(({ type }) => type === 'Progressing');
    assert.deepEqual([revision, progressing?.reason], [1, 'Succeeded']);
  });
});
