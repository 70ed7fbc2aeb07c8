import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { createUuidv7, systemClock, type Uuid } from '#kit/std';
import { type Storage, sql, type Transaction } from '#kit/storage';
import type { TargetId } from '#protocol/targets';
import { eachDatabase, type TestDatabase } from '#testing/databases';
import type { RolloutKey } from '../application/ports.ts';
import { newRow } from '../domain/deployment/decide-plan.ts';
import type { DeploymentTarget } from '../domain/deployment/deployment-target.ts';
import { openRollout, type RolloutStart } from '../domain/rollout/machine/open-rollout.ts';
import type { RolloutEvent } from '../domain/rollout/machine/rollout-event.ts';
import { aPoolTarget } from '../testing/a-pool.ts';
import { ORCHESTRATION_MIGRATIONS } from './migrations.ts';
import { SqlDeploymentTargetStore } from './sql/sql-deployment-target-store.ts';
import { SqlRolloutStore } from './sql/sql-rollout-store.ts';
import { SqlWatchStore } from './sql/sql-watch-store.ts';

const signal = new AbortController().signal;
const newId = createUuidv7(systemClock);
const gone = AbortSignal.abort(new Error('gone'));

function rowOf(deployment: Uuid, name: string, its: Partial<DeploymentTarget> = {}): DeploymentTarget {
  return { ...newRow({ uid: deployment }, aPoolTarget(name), 5), ...its };
}

const FULL: Partial<DeploymentTarget> = {
  isPlaced: false,
  isOnline: false,
  applied: { revision: 3, hash: 'sha256:a' },
  order: { kind: 'deliver', revision: 4, batch: 7, state: 'sent', hash: 'sha256:b', since: 11 },
  failure: { reason: 'Rejected', message: 'no "such" thing', revision: 3 },
  health: 'Degraded',
  healthRevision: 3,
  healthMessage: '1 of 2',
  isOwed: true,
  drift: ['apps/Deployment/web', 'Secret/x'],
  instance: 'kube-system-1',
  updateTime: 99,
};

eachDatabase('the rows of deployment and target', (fresh) => {
  let database: TestDatabase;
  let storage: Storage;
  before(async () => {
    database = await fresh();
    storage = await database.open([ORCHESTRATION_MIGRATIONS]);
  });
  after(async () => await database.dispose());
  const unit = <T>(body: (store: SqlDeploymentTargetStore, tx: Transaction) => Promise<T>): Promise<T> =>
    storage.write((tx) => body(new SqlDeploymentTargetStore(tx), tx), signal);

  it('come back as they were put, and a second put replaces all of a row', async () => {
    const uid = newId();
    const bare = rowOf(uid, 'a');
    const full = rowOf(uid, 'b', FULL);
    await unit((store) => store.put([bare, full], signal));
    assert.deepEqual(await unit((store) => store.page({ deployment: uid, after: undefined, limit: 9 }, signal)), [
      bare,
      full,
    ]);
    const swapped = [rowOf(uid, 'a', { ...FULL, name: 'c' }), rowOf(uid, 'b')];
    await unit((store) => store.put(swapped, signal));
    const ids = swapped.map(({ target }) => target);
    const found = await unit((store) => store.some(uid, [...ids, 'nobody' as TargetId], signal));
    assert.deepEqual(new Set(found), new Set(swapped));
  });

  it('are found by target, by batch and page by page, many thousands of them', async () => {
    const [uid, other] = [newId(), newId()];
    const rows = Array.from({ length: 2_500 }, (_, index) => rowOf(uid, `t${String(index).padStart(5, '0')}`));
    const ordered = rows.map((row, index) =>
      index % 2 === 0
        ? { ...row, order: { kind: 'remove', revision: 1, batch: 3, state: 'queued', since: 1 } as const }
        : row,
    );
    await unit((store) => store.put(ordered, signal));
    await unit((store) => store.put([rowOf(other, 't00001'), rowOf(other, 't00002', { isPlaced: false })], signal));
    const ids = rows.map(({ target }) => target);
    assert.equal((await unit((store) => store.of(uid, signal))).length, 2_500);
    assert.equal((await unit((store) => store.some(uid, ids, signal))).length, 2_500);
    assert.equal((await unit((store) => store.inBatch(uid, 3, signal))).length, 1_250);
    assert.deepEqual(await unit((store) => store.inBatch(uid, 4, signal)), []);
    const page = await unit((store) => store.page({ deployment: uid, after: 't00009', limit: 2 }, signal));
    assert.deepEqual(
      page.map(({ name }) => name),
      ['t00010', 't00011'],
    );
    assert.equal((await unit((store) => store.onTarget(ids[1] as TargetId, signal))).length, 2);
    assert.equal((await unit((store) => store.onTargets(ids, signal))).length, 2_502);
    const loads = await unit((store) => store.loads(uid, ids, signal));
    assert.deepEqual([...loads], [[ids[1], 1]]);
    await unit((store) => store.drop(uid, ids.slice(1), signal));
    assert.deepEqual(
      (await unit((store) => store.of(uid, signal))).map(({ name }) => name),
      ['t00000'],
    );
    assert.equal((await unit((store) => store.of(other, signal))).length, 2);
  });

  it('are marked as sent many at once: those of the batch that nobody has taken, and no others', async () => {
    const uid = newId();
    const order = { kind: 'deliver', revision: 2, batch: 3, state: 'queued', since: 1 } as const;
    const rows = [
      rowOf(uid, 'queued', { order }),
      rowOf(uid, 'sent', { order: { ...order, state: 'sent', hash: 'old' } }),
      rowOf(uid, 'accepted', { order: { ...order, state: 'accepted', hash: 'old' } }),
      rowOf(uid, 'other-batch', { order: { ...order, batch: 4 } }),
      rowOf(uid, 'other-revision', { order: { ...order, revision: 1 } }),
      rowOf(uid, 'none'),
    ];
    await unit((store) => store.put(rows, signal));
    const batch = { deployment: uid, revision: 2, batch: 3, hash: 'new', now: 77 };
    const targets = rows.map(({ target }) => target);
    assert.equal(await unit((store) => store.markSent(batch, targets, signal)), 2);
    const found = new Map((await unit((store) => store.of(uid, signal))).map((row) => [row.name, row]));
    const now = { order: { ...order, state: 'sent', hash: 'new' }, updateTime: 77 };
    for (const row of rows) {
      const isMarked = row.name === 'queued' || row.name === 'sent';
      assert.deepEqual(found.get(row.name), isMarked ? { ...row, ...now } : row);
    }
    assert.equal(await unit((store) => store.markSent(batch, [], signal)), 0);
  });

  it('take what a later release wrote for doubt, never for good', async () => {
    const uid = newId();
    await unit((store) => store.put([rowOf(uid, 'a', FULL)], signal));
    const [row] = await unit(async (store, tx) => {
      await tx.run(
        sql`UPDATE deployment_targets SET health = 'Splendid', order_state = 'flying' WHERE deployment = ${uid}`,
      );
      return await store.of(uid, signal);
    });
    assert.deepEqual([row?.health, row?.order?.state], ['Unknown', 'sent']);
  });

  it('are left alone once it is told to stop', async () => {
    const uid = newId();
    for (const use of [
      (store: SqlDeploymentTargetStore) => store.of(uid, gone),
      (store: SqlDeploymentTargetStore) => store.some(uid, ['a' as TargetId], gone),
      (store: SqlDeploymentTargetStore) => store.onTarget('a' as TargetId, gone),
      (store: SqlDeploymentTargetStore) => store.page({ deployment: uid, after: undefined, limit: 1 }, gone),
      (store: SqlDeploymentTargetStore) => store.inBatch(uid, 1, gone),
      (store: SqlDeploymentTargetStore) => store.put([rowOf(uid, 'a')], gone),
      (store: SqlDeploymentTargetStore) =>
        store.markSent({ deployment: uid, revision: 1, batch: 1, hash: '', now: 1 }, ['a' as TargetId], gone),
      (store: SqlDeploymentTargetStore) => store.drop(uid, ['a' as TargetId], gone),
      (store: SqlDeploymentTargetStore) => store.loads(uid, ['a' as TargetId], gone),
    ]) {
      await assert.rejects(unit<unknown>(use), { message: 'gone' });
    }
  });
});

eachDatabase('what is kept of a rollout', (fresh) => {
  let database: TestDatabase;
  let storage: Storage;
  before(async () => {
    database = await fresh();
    storage = await database.open([ORCHESTRATION_MIGRATIONS]);
  });
  after(async () => await database.dispose());
  const unit = <T>(body: (store: SqlRolloutStore) => Promise<T>): Promise<T> =>
    storage.write((tx) => body(new SqlRolloutStore(tx, { newId })), signal);
  const key = (): RolloutKey => ({ deployment: newId(), revision: 3 });
  const plan = {
    steps: [],
    current: [],
    budget: {
      maxFailures: 0,
      progressDeadlineMs: 1,
      offlinePolicy: 'wait',
      offlineDeadlineMs: 1,
      onCollision: 'queue',
    },
  } as const;
  const start: RolloutStart = { rollout: 'r', revision: 3, requestedBy: 'ann', plan, facts: [], now: 1_000 };
  const clock: RolloutEvent = { kind: 'clock' };

  it('is its opening, its turns in order, and a snapshot now and then', async () => {
    const rollout = key();
    const opening = { start, names: { a: 'one' } };
    await unit((store) => store.begin(rollout, opening, signal));
    for (const turn of [1, 2, 3]) {
      const its = {
        turn,
        time: turn * 10,
        rolloutEvents: [clock],
        ...(turn === 2 ? { step: 's', hasBatch: true } : {}),
      };
      await unit((store) => store.appendTurn(rollout, its, signal));
    }
    assert.deepEqual(await unit((store) => store.opening(rollout, signal)), opening);
    assert.deepEqual(await unit((store) => store.turnsAfter(rollout, 1, signal)), [
      { turn: 2, time: 20, rolloutEvents: [clock], step: 's', hasBatch: true },
      { turn: 3, time: 30, rolloutEvents: [clock] },
    ]);
    assert.equal((await unit((store) => store.turnsAfter(rollout, -1, signal))).length, 3);
    assert.equal(await unit((store) => store.opening(key(), signal)), undefined);
    assert.equal(await unit((store) => store.snapshot(rollout, signal)), undefined);
    for (const turn of [2, 3]) {
      const snapshot = { turn, state: openRollout(start) };
      await unit((store) => store.putSnapshot(rollout, snapshot, signal));
      assert.deepEqual(await unit((store) => store.snapshot(rollout, signal)), snapshot);
    }
    await unit((store) => store.post(rollout, [clock], signal));
    await unit((store) => store.end(rollout, signal));
    assert.equal(await unit((store) => store.snapshot(rollout, signal)), undefined);
    assert.deepEqual(await unit((store) => store.take(rollout, 9, signal)), []);
    assert.equal((await unit((store) => store.turnsAfter(rollout, 0, signal))).length, 3);
  });

  it('gives out what was posted once, in order; fewer than asked for means all of it', async () => {
    const [rollout, other] = [key(), key()];
    const pauses = (from: number, count: number): RolloutEvent[] =>
      Array.from({ length: count }, (_, index) => ({ kind: 'pause', by: String(from + index), message: '' }));
    await unit((store) => store.post(other, pauses(0, 1), signal));
    await unit((store) => store.post(rollout, pauses(0, 1_200), signal));
    await unit((store) => store.post(rollout, pauses(1_200, 3), signal));
    await unit((store) => store.post(rollout, [], signal));
    const taken: RolloutEvent[] = [];
    for (let size = 500; size >= 500; ) {
      const some = await unit((store) => store.take(rollout, 500, signal));
      taken.push(...some);
      size = some.length;
    }
    assert.deepEqual(taken, pauses(0, 1_203));
    assert.deepEqual(await unit((store) => store.take(rollout, 500, signal)), []);
    assert.equal((await unit((store) => store.take(other, 500, signal))).length, 1);
  });

  it('is left alone once it is told to stop', async () => {
    const rollout = key();
    for (const use of [
      (store: SqlRolloutStore) => store.begin(rollout, { start, names: {} }, gone),
      (store: SqlRolloutStore) => store.opening(rollout, gone),
      (store: SqlRolloutStore) => store.appendTurn(rollout, { turn: 1, time: 1, rolloutEvents: [] }, gone),
      (store: SqlRolloutStore) => store.turnsAfter(rollout, 1, gone),
      (store: SqlRolloutStore) => store.snapshot(rollout, gone),
      (store: SqlRolloutStore) => store.putSnapshot(rollout, { turn: 1, state: openRollout(start) }, gone),
      (store: SqlRolloutStore) => store.post(rollout, [clock], gone),
      (store: SqlRolloutStore) => store.take(rollout, 1, gone),
      (store: SqlRolloutStore) => store.end(rollout, gone),
    ]) {
      await assert.rejects(unit<unknown>(use), { message: 'gone' });
    }
  });
});

eachDatabase('who waits for the health of a deployment', (fresh) => {
  let database: TestDatabase;
  let storage: Storage;
  before(async () => {
    database = await fresh();
    storage = await database.open([ORCHESTRATION_MIGRATIONS]);
  });
  after(async () => await database.dispose());
  const unit = <T>(body: (store: SqlWatchStore) => Promise<T>): Promise<T> =>
    storage.write((tx) => body(new SqlWatchStore(tx)), signal);

  it('is found by it, gate by gate, and forgotten with the rollout', async () => {
    const [watcher, watched, another] = [newId(), newId(), newId()];
    const watch = { watcher, revision: 1, gate: 'a/after/0/1', watched };
    const second = { ...watch, gate: 'a/after/1/2' };
    await unit((store) => store.put(watch, signal));
    await unit((store) => store.put({ ...second, watched: another }, signal));
    await unit((store) => store.put(second, signal));
    assert.deepEqual(await unit((store) => store.on(watched, signal)), [watch, second]);
    assert.deepEqual(await unit((store) => store.on(another, signal)), []);
    await unit((store) => store.drop({ deployment: watcher, revision: 1 }, watch.gate, signal));
    assert.deepEqual(await unit((store) => store.on(watched, signal)), [second]);
    await unit((store) => store.dropAll({ deployment: watcher, revision: 2 }, signal));
    await unit((store) => store.dropAll({ deployment: watcher, revision: 1 }, signal));
    assert.deepEqual(await unit((store) => store.on(watched, signal)), []);
  });
});
