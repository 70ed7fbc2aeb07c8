import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { ResourceName, Uuid } from '#kit/std';
import { type Storage, sql, type Transaction } from '#kit/storage';
import type { TargetId } from '#protocol/targets';
import { eachDatabase, type TestDatabase } from '#testing/databases';
import type { Approval } from '../../domain/deployment/approval.ts';
import type { Revision } from '../../domain/deployment/revision.ts';
import { ORCHESTRATION_MIGRATIONS } from '../migrations.ts';
import { SqlApprovalStore } from './sql-approval-store.ts';
import { SqlRevisionStore } from './sql-revision-store.ts';
import { SqlScoreStore, scoresOf } from './sql-score-store.ts';

const signal = new AbortController().signal;
const WEB = '00000000-0000-7000-8000-0000000000d1' as Uuid;

const REVISION: Revision = {
  deployment: WEB,
  revision: 1,
  generation: 1,
  spec: {
    manifest: { type: 'inline', documents: [{ kind: 'Note', text: { $secretRef: 'r1' } }] },
    placement: [{ type: 'all' }],
    rollout: { type: 'immediate' },
    healthRules: [],
    driftPolicy: 'report',
    config: {},
  },
  trigger: 'user:ann created it',
  requestedBy: 'user:ann',
  rollbackTo: undefined,
  isPaced: true,
  createTime: 1_000,
  endTime: undefined,
  outcome: undefined,
  message: undefined,
  turns: 0,
};

const APPROVAL: Approval = {
  uid: '00000000-0000-7000-8000-0000000000a1' as Uuid,
  deployment: WEB,
  deploymentName: 'web',
  workspace: { name: 'emea' as ResourceName, path: '/root/emea/' },
  revision: 1,
  gate: 'g1',
  step: 'prod',
  requestedBy: 'user:ann',
  requesters: ['user:ann', 'user:bob'],
  needsDistinctApprover: true,
  createTime: 1_000,
  expireTime: 5_000,
  state: 'Open',
  answer: undefined,
  version: 1,
};

eachDatabase('the stores of revisions, approvals and scores', (fresh) => {
  let database: TestDatabase;
  let storage: Storage;
  before(async () => {
    database = await fresh();
    storage = await database.open([ORCHESTRATION_MIGRATIONS]);
  });
  after(async () => await database.dispose());

  const unit = <T>(body: (tx: Transaction) => Promise<T>): Promise<T> => storage.write(body, signal);
  const revisions = <T>(body: (store: SqlRevisionStore) => Promise<T>) => unit((tx) => body(new SqlRevisionStore(tx)));
  const approvals = <T>(body: (store: SqlApprovalStore) => Promise<T>) => unit((tx) => body(new SqlApprovalStore(tx)));

  it('gives a revision back as it was, newest first, page by page', async () => {
    const second = { ...REVISION, revision: 4, rollbackTo: 1, isPaced: false };
    await revisions(async (store) => {
      await store.insert(REVISION, signal);
      await store.insert(second, signal);
    });
    const ended: Revision = { ...REVISION, endTime: 2_000, outcome: 'RolledBack', message: 'unhealthy', turns: 7 };
    await revisions((store) => store.replace(ended, signal));
    assert.deepEqual(await revisions((store) => store.find(WEB, 1, signal)), ended);
    assert.equal(await revisions((store) => store.find(WEB, 2, signal)), undefined);
    const page = (before: number | undefined, limit: number) =>
      revisions((store) => store.page({ deployment: WEB, before, limit }, signal));
    assert.deepEqual(await page(undefined, 10), [second, ended]);
    assert.deepEqual(await page(undefined, 1), [second]);
    assert.deepEqual(await page(4, 10), [ended]);
  });

  it('remembers which revision holds a secret of its spec', async () => {
    const uses = await storage.all(sql`SELECT * FROM content_secret_uses ORDER BY holder`, signal);
    assert.deepEqual(uses, [
      { reference: 'r1', holder: `revision/${WEB}/1`, deployment: WEB },
      { reference: 'r1', holder: `revision/${WEB}/4`, deployment: WEB },
    ]);
  });

  it('does not end a revision that is not there', async () => {
    await assert.rejects(
      revisions((store) => store.replace({ ...REVISION, revision: 99 }, signal)),
      { code: 'GUARD_FAILED' },
    );
  });

  it('keeps an approval, and its answer once', async () => {
    await approvals((store) => store.insert(APPROVAL, signal));
    const key = { deployment: WEB, revision: 1 };
    assert.deepEqual(await approvals((store) => store.openOf(key, signal)), [APPROVAL]);
    assert.deepEqual(await approvals((store) => store.openOf({ ...key, revision: 2 }, signal)), []);
    const answer = { by: 'user:bob', time: 3_000, message: 'looks good' };
    const approved: Approval = { ...APPROVAL, state: 'Approved', answer, version: 2 };
    await approvals((store) => store.replace(approved, signal));
    assert.deepEqual(await approvals((store) => store.get(APPROVAL.uid, signal)), approved);
    assert.deepEqual(await approvals((store) => store.openOf(key, signal)), []);
    await assert.rejects(
      approvals((store) => store.replace(approved, signal)),
      { code: 'GUARD_FAILED' },
    );
  });

  it('has one approval for one opening of a gate', async () => {
    const again = { ...APPROVAL, uid: '00000000-0000-7000-8000-0000000000a2' as Uuid };
    await assert.rejects(
      approvals((store) => store.insert(again, signal)),
      { code: 'UNIQUE_VIOLATED' },
    );
  });

  it('has of each target and name the last score', async () => {
    const [a, b] = ['a', 'b'] as [TargetId, TargetId];
    await unit(async (tx) => {
      const store = new SqlScoreStore(tx);
      await store.put(a, 'cost', { value: 1.5, time: 10 }, signal);
      await store.put(a, 'cost', { value: -7.25, time: 20 }, signal);
      await store.put(a, 'latency', { value: 3, time: 30 }, signal);
      await store.put(b, 'other', { value: 9, time: 30 }, signal);
      const scores = await store.of([a, b], ['cost', 'latency'], signal);
      assert.deepEqual(
        scores,
        new Map([
          [
            a,
            new Map([
              ['cost', { value: -7.25, time: 20 }],
              ['latency', { value: 3, time: 30 }],
            ]),
          ],
        ]),
      );
      assert.equal((await store.of([a], [], signal)).size, 0);
      assert.deepEqual(await scoresOf(tx, a, { after: 'cost', limit: 10 }), [{ name: 'latency', value: 3, time: 30 }]);
    });
  });
});
