import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sql } from '#kit/storage';
import { eachDatabase } from '#testing/databases';
import { aRun, inline } from '../../testing/pipeline/pipeline-run.ts';

eachDatabase('what agents and targets say', (fresh) => {
  it('an offline target keeps its delivery, and gets it when it is back', async (t) => {
    const run = await aRun(t, await fresh());
    const away = run.fleet.add('away', { isOnline: false });
    run.fleet.add('here');
    const uid = await run.create('web', {});
    const waiting = await run.until(uid, 'the one that is here', (it) => it.status.counts.available === 1);
    assert.deepEqual([waiting.status.counts.offline, waiting.rollout], [1, 1]);
    await run.until(
      uid,
      'a wait that names it',
      ({ status }) =>
        status.rollout?.waits.some(({ kind, targets }) => kind === 'offline' && targets?.join() === 'away') === true,
    );
    await run.fleet.setOnline(away, true);
    assert.equal((await run.idle(uid)).status.counts.available, 2);
    assert.equal(run.fleet.dispatched.length, 2);
  });

  it('one that goes offline unnoticed keeps what was sent, and is sent it again when it is back', async (t) => {
    const run = await aRun(t, await fresh());
    const id = run.fleet.add('flaky');
    run.fleet.onDispatch = () => {};
    const uid = await run.create('web', { rolloutState: 'paused' });
    await run.until(uid, 'a pause', (it) => it.status.rollout?.phase === 'Paused');
    // The platform believes that the target is online, but its agent is not.
    run.fleet.change(id, { isOnline: false });
    await run.change(uid, () => ({ rolloutState: 'running' }));
    await run.until(uid, 'an offline target', (it) => it.status.counts.offline === 1);
    assert.deepEqual((await run.rows(uid)).get('flaky')?.order?.state, 'sent');
    await run.fleet.setOnline(id, true);
    assert.equal((await run.idle(uid)).status.counts.available, 1);
  });

  it('one that is away for a moment, and back before that is stored, gets its order without another word', async (t) => {
    let isAway = true;
    const handovers: string[] = [];
    const run = await aRun(t, await fresh(), {
      world: {
        router: (fleet) => ({
          dispatch: async (order, signal) => {
            if (!isAway) return await fleet.dispatch(order, signal);
            isAway = false;
            return { kind: 'offline' };
          },
          cancel: (order, signal) => fleet.cancel(order, signal),
          preview: (order, signal) => fleet.preview(order, signal),
        }),
        observer: (stores) => ({
          observe: async (observations, signal) => {
            for (const each of observations) if (each.about === 'handover') handovers.push(each.handover.kind);
            await stores.observe(observations, signal);
          },
        }),
      },
    });
    run.fleet.add('one');
    const uid = await run.create('web', {});
    assert.equal((await run.idle(uid)).status.counts.available, 1);
    assert.deepEqual(handovers, ['accepted']);
  });

  it('an acceptance that cannot be stored is no failure of its target, and keeps back no other', async (t) => {
    const handovers: string[] = [];
    let refusals = 1;
    const run = await aRun(t, await fresh(), {
      world: {
        observer: (stores) => ({
          observe: async (observations, signal) => {
            for (const each of observations) {
              if (each.about !== 'handover') continue;
              handovers.push(each.handover.kind);
              if (refusals-- > 0) throw new Error('it can never be stored');
            }
            await stores.observe(observations, signal);
          },
        }),
      },
    });
    run.fleet.addMany(3);
    const uid = await run.create('web', {});
    const { status } = await run.idle(uid);
    assert.deepEqual([status.counts.available, status.counts.failed], [3, 0]);
    assert.deepEqual(new Set(handovers), new Set(['accepted']));
  });

  it('an order whose answer is lost is not repeated once its report is there', async (t) => {
    const run = await aRun(t, await fresh());
    const id = run.fleet.add('mute', { script: { taking: 'hangs' } });
    const uid = await run.create('web', { rollout: { type: 'immediate', progressDeadline: '1m' } });
    await run.until(uid, 'an order', () => run.fleet.dispatched.length === 1);
    const [order] = run.fleet.dispatched;
    if (order?.kind !== 'deliver') throw new RangeError('a delivery');
    const report = { target: id, deployment: uid, revision: 1 } as const;
    await run.fleet.report({ ...report, kind: 'applied', hash: order.hash });
    await run.fleet.report({ ...report, kind: 'health', health: 'Available', message: '' });
    run.fleet.hangUp();
    await run.untilRested(uid);
    assert.equal(run.fleet.dispatched.length, 1);
  });

  it('a report on the revision before, which comes while the next rollout waits, says nothing about the order to come', async (t) => {
    const run = await aRun(t, await fresh());
    const id = run.fleet.add('slow', { script: { applying: 'never' } });
    const uid = await run.create('web', {});
    await run.untilAccepted(uid, 1);
    const [order] = run.fleet.dispatched;
    if (order?.kind !== 'deliver') throw new RangeError('a delivery');
    const rollout = {
      type: 'staged',
      stages: [{ name: 'all', selector: {}, beforeTasks: [{ type: 'approval' }] }],
    };
    await run.patch(uid, { manifest: inline('one'), rollout }, ['manifest', 'rollout']);
    await run.until(uid, 'the next rollout', (it) => it.rollout === 2);
    const [approval] = await run.approvals(uid);
    const report = { target: id, deployment: uid, revision: 1 } as const;
    await run.fleet.report({ ...report, kind: 'applied', hash: order.hash });
    await run.fleet.report({ ...report, kind: 'health', health: 'Available', message: '' });
    await run.answer(approval, { kind: 'approved', by: 'bob' });
    assert.equal((await run.idle(uid)).status.rollout?.outcome, 'Succeeded');
    assert.equal(run.fleet.dispatched.length, 1, 'it has the content already');
  });

  it('a skipped one is owed it, and gets it by a rollout of its own when it is back', async (t) => {
    const run = await aRun(t, await fresh());
    const away = run.fleet.add('away', { isOnline: false });
    run.fleet.add('here');
    const uid = await run.create('web', { rollout: { type: 'immediate', offlinePolicy: 'skip' } });
    const end = await run.idle(uid);
    assert.equal(end.status.rollout?.outcome, 'Succeeded');
    assert.equal((await run.rows(uid)).get('away')?.isOwed, true);
    await run.fleet.setOnline(away, true);
    await run.until(uid, 'the second', (it) => it.revision === 2 && it.rollout === undefined);
    assert.equal((await run.get(uid)).status.counts.available, 2);
    assert.deepEqual(
      run.fleet.dispatched.map(({ target }) => target.name),
      ['here', 'away'],
    );
  });

  it('no secret that an agent quotes is kept or told: of health, a failure, drift, an inventory', async (t) => {
    const run = await aRun(t, await fresh());
    const id = run.fleet.add('one');
    const document = { kind: 'Note', login: { $secret: 'hunter2-of-web' } };
    const manifest = { type: 'inline', documents: [document] };
    const uid = await run.create('web', { manifest });
    await run.idle(uid);
    const about = { target: id, deployment: uid, revision: 1 };
    const message = 'refused: "hunter2-of-web" is too short';
    const { observer } = run.fleet;
    await observer?.observe(
      [{ about: 'report', report: { ...about, kind: 'health', health: 'Degraded', message } }],
      run.signal,
    );
    await observer?.observe(
      [{ about: 'report', report: { ...about, kind: 'drift', objects: [`Note: ${message}`] } }],
      run.signal,
    );
    const masked = 'refused: "[redacted]" is too short';
    assert.ok(JSON.stringify((await run.rows(uid)).get('one')).includes(JSON.stringify(masked).slice(1, -1)));
    const holding = { deployment: uid, revision: 1, hash: 'x', health: 'Degraded', message } as const;
    const inventory = { target: id, instance: 'one', holdings: [holding] };
    await observer?.observe([{ about: 'inventory', inventory }], run.signal);
    await observer?.observe([{ about: 'report', report: { ...about, kind: 'failed', message } }], run.signal);
    assert.ok(!JSON.stringify((await run.rows(uid)).get('one')).includes('hunter2'));
    for (const table of ['outbox', 'deployment_targets', 'rollout_inbox', 'rollout_turns']) {
      const rows = await run.storage.all(sql`SELECT * FROM ${sql.raw(table)}`, run.signal);
      assert.ok(!JSON.stringify(rows).includes('hunter2'), table);
    }
  });

  it('after a reconnect health is unknown until the inventory', async (t) => {
    const run = await aRun(t, await fresh());
    const id = run.fleet.add('one');
    const uid = await run.create('web', {});
    await run.idle(uid);
    const { observer } = run.fleet;
    await observer?.observe([{ about: 'connection', target: id, isOnline: false }], run.signal);
    assert.equal((await run.get(uid)).status.counts.available, 0);
    await observer?.observe([{ about: 'connection', target: id, isOnline: true }], run.signal);
    assert.deepEqual(
      [(await run.get(uid)).status.counts.unknown, (await run.get(uid)).status.counts.available],
      [1, 0],
    );
    await run.fleet.sendInventory(id);
    assert.equal((await run.get(uid)).status.counts.available, 1);
    await run.untilRested(uid);
    assert.equal(run.fleet.dispatched.length, 1);
  });

  it('a disconnect that is heard of after the return changes nothing of what the inventory said', async (t) => {
    const run = await aRun(t, await fresh());
    const id = run.fleet.add('one');
    const uid = await run.create('web', {});
    await run.idle(uid);
    await run.fleet.setOnline(id, false);
    await run.fleet.setOnline(id, true);
    const before = (await run.rows(uid)).get('one');
    assert.deepEqual([before?.isOnline, before?.health], [true, 'Available']);
    await run.fleet.observer?.observe([{ about: 'connection', target: id }], run.signal);
    assert.deepEqual((await run.rows(uid)).get('one'), before);
    run.fleet.change(id, { isOnline: false });
    await run.fleet.observer?.observe([{ about: 'connection', target: id }], run.signal);
    assert.equal((await run.rows(uid)).get('one')?.isOnline, false);
  });

  it('a rebuilt target has nothing, and gets it again', async (t) => {
    const run = await aRun(t, await fresh());
    const [first] = [run.fleet.add('one'), run.fleet.add('two')];
    const uid = await run.create('web', {});
    await run.idle(uid);
    await run.fleet.sendInventory(first);
    await run.fleet.rebuild(first);
    await run.until(uid, 'the second', (it) => it.revision === 2 && it.rollout === undefined);
    assert.deepEqual(
      run.fleet.dispatched.slice(2).map(({ target }) => target.name),
      ['one'],
    );
    assert.equal(run.fleet.has(first, uid)?.revision, 2);
  });

  it('one that is rebuilt during a rollout gets it again within it', async (t) => {
    const run = await aRun(t, await fresh());
    const [first, second] = [run.fleet.add('one'), run.fleet.add('two', { script: { health: 'silent' } })];
    const uid = await run.create('web', {});
    await run.until(uid, 'the first', (it) => it.status.counts.available === 1);
    await run.fleet.sendInventory(first);
    await run.fleet.rebuild(first);
    await run.until(
      uid,
      'it again',
      () => run.fleet.dispatched.filter(({ target }) => target.id === first).length === 2,
    );
    await run.fleet.report({
      kind: 'health',
      target: second,
      deployment: uid,
      revision: 1,
      health: 'Available',
      message: '',
    });
    const end = await run.idle(uid);
    assert.deepEqual([end.revision, end.status.counts.available], [1, 2]);
  });

  it('an agent that is ahead is in conflict alone, until a person accepts its revision', async (t) => {
    const run = await aRun(t, await fresh());
    const [ahead, other] = [run.fleet.add('ahead'), run.fleet.add('other')];
    const uid = await run.create('web', {});
    await run.idle(uid);
    const said = { kind: 'health', target: ahead, deployment: uid, health: 'Available', message: '' } as const;
    await run.fleet.report({ ...said, revision: 9 });
    const held = await run.get(uid);
    const conflict = held.status.conditions.find(({ type }) => type === 'Conflict');
    assert.deepEqual([held.revision, conflict?.status, conflict?.reason], [1, 'True', 'RevisionAhead']);
    assert.deepEqual([held.status.counts.ahead, held.status.counts.available], [1, 1]);
    const rows = await run.rows(uid);
    assert.deepEqual([rows.get('ahead')?.failure?.seen, rows.get('other')?.failure], [9, undefined]);
    await run.untilRested(uid);
    assert.equal(run.fleet.dispatched.length, 2, 'it is not followed');
    // The other target continues meanwhile, and a report on an issued revision ends the conflict.
    await run.fleet.report({ ...said, target: other, revision: 1, health: 'Degraded' });
    assert.equal((await run.get(uid)).status.counts.degraded, 1);
    await run.trigger(uid, { kind: 'ahead', target: ahead, revision: 9, by: 'ann' });
    const end = await run.until(uid, 'above', (it) => it.revision >= 9 && it.rollout === undefined);
    assert.equal(end.status.counts.ahead, 0);
  });

  it('what an inventory names that is not placed on its target concerns nobody', async (t) => {
    const run = await aRun(t, await fresh());
    const [mine, theirs] = [run.fleet.add('mine', { labels: { a: 'b' } }), run.fleet.add('theirs')];
    const uid = await run.create('web', { placement: [{ type: 'static', targets: ['mine'] }] });
    await run.idle(uid);
    const holdings = [{ deployment: uid, revision: 9, hash: 'other', health: 'Available', message: '' } as const];
    await run.fleet.observer?.observe(
      [{ about: 'inventory', inventory: { target: theirs, instance: 'i1', holdings } }],
      run.signal,
    );
    await run.untilRested(uid);
    const { revision, status } = await run.get(uid);
    assert.deepEqual([revision, status.counts.ahead, run.fleet.has(mine, uid)?.revision], [1, 0, 1]);
  });

  it('an agent that is ahead after a restore makes the platform go on above it', async (t) => {
    const run = await aRun(t, await fresh(), { restoredAt: Date.now() });
    const id = run.fleet.add('one');
    const uid = await run.create('web', {});
    await run.idle(uid);
    const holdings = [{ deployment: uid, revision: 9, hash: 'other', health: 'Available', message: '' } as const];
    const inventory = { target: id, instance: 'i1', holdings };
    await run.fleet.observer?.observe([{ about: 'inventory', inventory }], run.signal);
    const end = await run.until(uid, 'above', (it) => it.revision === 10 && it.rollout === undefined);
    assert.equal(end.status.counts.available, 1);
    assert.match((await run.revision(uid, 10))?.trigger ?? '', /revision 9/);
  });

  for (const { why, restoredAt, seen } of [
    { why: 'further than a restore explains', restoredAt: () => Date.now(), seen: 10_002 },
    { why: 'a day after the restore', restoredAt: () => Date.now() - 24 * 3_600_000, seen: 9 },
    { why: 'before a restore that is still to come', restoredAt: () => Date.now() + 3_600_000, seen: 9 },
  ]) {
    it(`an agent that is ahead ${why} waits for a person`, async (t) => {
      const run = await aRun(t, await fresh(), { restoredAt: restoredAt() });
      const target = run.fleet.add('one');
      const uid = await run.create('web', {});
      await run.idle(uid);
      const holdings = [{ deployment: uid, revision: seen, hash: 'other', health: 'Available', message: '' } as const];
      await run.fleet.observer?.observe(
        [{ about: 'inventory', inventory: { target, instance: 'i1', holdings } }],
        run.signal,
      );
      await run.untilRested(uid);
      const { revision, status } = await run.get(uid);
      assert.deepEqual([revision, status.counts.ahead], [1, 1]);
    });
  }

  it('drift is told, and repaired where the policy says so', async (t) => {
    const run = await aRun(t, await fresh());
    const id = run.fleet.add('one');
    for (const driftPolicy of ['report', 'repair'] as const) {
      const uid = await run.create(driftPolicy, { driftPolicy });
      await run.idle(uid);
      await run.fleet.report({ kind: 'drift', target: id, deployment: uid, revision: 1, objects: ['Note/note'] });
      if (driftPolicy === 'report') {
        assert.equal((await run.get(uid)).status.counts.drifted, 1);
        continue;
      }
      await run.until(uid, 'a repair', (it) => it.revision === 2 && it.rollout === undefined);
      assert.equal((await run.get(uid)).status.counts.drifted, 0);
    }
    assert.equal(run.fleet.dispatched.length, 3);
  });

  it('drift is counted only where it was delivered', async (t) => {
    const run = await aRun(t, await fresh());
    const never = run.fleet.add('never', { isOnline: false });
    const stranger = run.fleet.add('stranger', { labels: { colour: 'red' } });
    run.fleet.add('one', { labels: { colour: 'blue' } });
    const blue = { type: 'selector', matchExpressions: [{ key: 'colour', operator: 'NotIn', values: ['red'] }] };
    const uid = await run.create('web', { placement: [blue], rollout: { type: 'immediate', offlinePolicy: 'skip' } });
    const end = await run.idle(uid);
    for (const target of [never, stranger]) {
      await run.fleet.report({ kind: 'drift', target, deployment: uid, revision: 1, objects: ['Note/note'] });
    }
    assert.deepEqual([end.status.counts.placed, (await run.get(uid)).status.counts.drifted], [2, 0]);
  });

  it('reports keep rows and conditions true after the rollout, and one that flips tells who waits', async (t) => {
    const run = await aRun(t, await fresh());
    const id = run.fleet.add('one');
    const uid = await run.create('web', {});
    await run.idle(uid);
    const said = { target: id, deployment: uid, revision: 1 };
    await run.fleet.report({ kind: 'health', ...said, health: 'Degraded', message: 'oh' });
    const sick = await run.get(uid);
    assert.equal(sick.status.conditions.find(({ type }) => type === 'Degraded')?.status, 'True');
    await run.fleet.report({ kind: 'health', ...said, health: 'Degraded', message: 'oh' });
    assert.equal((await run.get(uid)).version, sick.version);
    await run.untilRested(uid);
  });
});

eachDatabase('a rollback', (fresh) => {
  it('brings back exactly what ran, at once and under a new revision', async (t) => {
    const run = await aRun(t, await fresh());
    const ids = run.fleet.addMany(3);
    const uid = await run.create('web', { rollout: { type: 'rolling', batchSize: 1 } });
    await run.idle(uid);
    const old = run.fleet.has(ids[0] ?? run.fleet.add('x'), uid)?.hash;
    await run.patch(uid, { manifest: inline('two') }, ['manifest']);
    await run.until(uid, 'the second', (it) => it.revision === 2 && it.rollout === undefined);
    await run.trigger(uid, { kind: 'rollback', to: 1, paced: false, by: 'ann' });
    const end = await run.until(uid, 'the third', (it) => it.revision === 3 && it.rollout === undefined);
    assert.deepEqual(end.spec.manifest, inline('one'));
    assert.equal(end.generation, 3);
    const third = await run.revision(uid, 3);
    assert.deepEqual([third?.rollbackTo, third?.isPaced, third?.outcome], [1, false, 'Succeeded']);
    for (const id of ids) assert.equal(run.fleet.has(id, uid)?.hash, old);
    assert.deepEqual(
      end.status.rollout?.steps.map(({ name }) => name),
      ['all'],
    );
  });

  it('goes by the strategy when it is paced', async (t) => {
    const run = await aRun(t, await fresh());
    run.fleet.addMany(2);
    const uid = await run.create('web', { rollout: { type: 'rolling', batchSize: 1 } });
    await run.idle(uid);
    await run.patch(uid, { manifest: inline('two') }, ['manifest']);
    await run.until(uid, 'the second', (it) => it.revision === 2 && it.rollout === undefined);
    await run.trigger(uid, { kind: 'rollback', to: 1, paced: true, by: 'ann' });
    const end = await run.until(uid, 'the third', (it) => it.revision === 3 && it.rollout === undefined);
    assert.deepEqual(
      end.status.rollout?.steps.map(({ name }) => name),
      ['batch-1', 'batch-2'],
    );
  });

  it('happens by itself where a stage says so', async (t) => {
    const run = await aRun(t, await fresh());
    const ids = run.fleet.addMany(2);
    const uid = await run.create('web', { rollout: { type: 'immediate', failurePolicy: 'rollback' } });
    await run.idle(uid);
    for (const id of ids) run.fleet.script(id, { applying: 'fails' });
    run.fleet.onDispatch = ({ revision }) => {
      if (revision === 3) for (const id of ids) run.fleet.script(id, {});
    };
    await run.patch(uid, { manifest: inline('two') }, ['manifest']);
    const end = await run.until(uid, 'the third', (it) => it.revision === 3 && it.rollout === undefined);
    assert.equal((await run.revision(uid, 2))?.outcome, 'RolledBack');
    assert.deepEqual([end.spec.manifest, end.status.counts.available], [inline('one'), 2]);
  });

  it('stays: neither a manifest that is generated again nor a target that joins brings back what was given up', async (t) => {
    const run = await aRun(t, await fresh());
    const [first = run.fleet.add('none')] = run.fleet.addMany(2);
    const uid = await run.create('web', {});
    await run.idle(uid);
    const old = run.fleet.has(first, uid)?.hash;
    await run.patch(uid, { manifest: inline('two') }, ['manifest']);
    await run.until(uid, 'the second', (it) => it.revision === 2 && it.rollout === undefined);
    await run.trigger(uid, { kind: 'rollback', to: 1, paced: false, by: 'ann' });
    await run.until(uid, 'the third', (it) => it.revision === 3 && it.rollout === undefined);
    const late = run.fleet.add('late');
    await run.trigger(
      uid,
      { kind: 'target', target: late, causes: [] },
      { kind: 'regenerate', why: 'an addon says so' },
    );
    await run.until(uid, 'the fourth', (it) => it.revision === 4 && it.rollout === undefined);
    for (const id of [first, late]) assert.equal(run.fleet.has(id, uid)?.hash, old);
  });
});
