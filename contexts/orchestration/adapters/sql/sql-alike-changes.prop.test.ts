import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import fc from 'fast-check';
import { createUuidv7, systemClock } from '#kit/std';
import type { Storage, Transaction } from '#kit/storage';
import { HEALTHS } from '#protocol/delivery';
import { eachDatabase, type TestDatabase } from '#testing/databases';
import { newRow } from '../../domain/deployment/decide-plan.ts';
import { type DeploymentTarget, ORDER_STATES } from '../../domain/deployment/deployment-target.ts';
import { aPoolTarget } from '../../testing/a-pool.ts';
import { ORCHESTRATION_MIGRATIONS } from '../migrations.ts';
import { alikeChanges } from './sql-alike-changes.ts';
import { SqlDeploymentTargetStore } from './sql-deployment-target-store.ts';

const signal = new AbortController().signal;
const newId = createUuidv7(systemClock);

const order = fc.record(
  {
    kind: fc.constantFrom('deliver' as const, 'remove' as const),
    revision: fc.constantFrom(1, 2),
    batch: fc.constantFrom(1, 2),
    state: fc.constantFrom(...ORDER_STATES),
    since: fc.constantFrom(1, 2),
  },
  { noNullPrototype: true },
);
const its = fc.record<Partial<DeploymentTarget>>({
  isOnline: fc.boolean(),
  applied: fc.option(fc.constantFrom({ revision: 1, hash: 'one' }, { revision: 2, hash: 'two' }), { nil: undefined }),
  order: fc.option(order, { nil: undefined }),
  health: fc.constantFrom(...HEALTHS),
  drift: fc.constantFrom([], ['v1/ConfigMap/a']),
  updateTime: fc.constantFrom(1, 2),
});
/** Few kinds of rows, so that many change in the same way; and a few that are like no other. */
const wave = fc.record({ kinds: fc.array(its, { minLength: 1, maxLength: 3 }), odd: fc.array(its, { maxLength: 3 }) });

eachDatabase('rows that become others together', (fresh) => {
  let database: TestDatabase;
  let storage: Storage;
  before(async () => {
    database = await fresh();
    storage = await database.open([ORCHESTRATION_MIGRATIONS]);
  });
  after(async () => await database.dispose());
  const unit = <T>(body: (store: SqlDeploymentTargetStore, tx: Transaction) => Promise<T>): Promise<T> =>
    storage.write((tx) => body(new SqlDeploymentTargetStore(tx), tx), signal);
  const names = Array.from({ length: 40 }, (_, index) => `t${String(index).padStart(2, '0')}`);
  const bare = () => {
    const uid = newId();
    return names.map((name) => newRow({ uid }, aPoolTarget(name), 1));
  };
  const become = (
    rows: readonly DeploymentTarget[],
    { kinds, odd }: { kinds: typeof odd; odd: Partial<DeploymentTarget>[] },
  ) => rows.map((row, at): DeploymentTarget => ({ ...row, ...(odd[at] ?? kinds[at % kinds.length]) }));

  it('are what they were put as, whether the unit of work had read them or not', async () => {
    await fc.assert(
      fc.asyncProperty(wave, wave, fc.boolean(), async (first, second, hasRead) => {
        const rows = become(bare(), first);
        const [{ deployment }] = rows as [DeploymentTarget];
        await unit((store) => store.put(rows, signal));
        const next = become(rows, second);
        await unit(async (store) => {
          if (hasRead) await store.of(deployment, signal);
          await store.put(next, signal);
        });
        const page = { deployment, after: undefined, limit: names.length };
        assert.deepEqual(await unit((store) => store.page(page, signal)), next);
      }),
      { numRuns: 30 },
    );
  });

  it('are what they were put as after other statements of the same unit', async () => {
    const rows = become(bare(), {
      kinds: [{ order: { kind: 'deliver', revision: 1, batch: 1, state: 'queued', since: 1 } }],
      odd: [],
    });
    const [{ deployment }] = rows as [DeploymentTarget];
    const ids = rows.map(({ target }) => target);
    await unit((store) => store.put(rows, signal));
    const found = await unit(async (store) => {
      await store.of(deployment, signal);
      await store.markSent({ deployment, revision: 1, batch: 1, hash: 'one', now: 7 }, ids, signal);
      await store.put(rows, signal);
      await store.drop(deployment, ids.slice(0, 10), signal);
      await store.put(rows, signal);
      return await store.page({ deployment, after: undefined, limit: names.length }, signal);
    });
    assert.deepEqual(found, rows);
  });

  it('are what they were put as when the same columns become other values', async () => {
    const rows = bare();
    const [{ deployment }] = rows as [DeploymentTarget];
    await unit((store) => store.put(rows, signal));
    const next = become(rows, { kinds: [{ updateTime: 7 }, { updateTime: 8 }], odd: [] });
    await unit(async (store) => {
      await store.of(deployment, signal);
      await store.put(next, signal);
    });
    const page = { deployment, after: undefined, limit: names.length };
    assert.deepEqual(await unit((store) => store.page(page, signal)), next);
  });

  it('take one narrow statement, and none when they are as they were', () => {
    const rows = bare();
    const next = become(rows, { kinds: [{ isOnline: false }], odd: [] });
    const before = new Map(rows.map((row) => [row.target, row]));
    const { updates, others } = alikeChanges([...next.slice(1), ...rows.slice(0, 1)], ({ target }) =>
      before.get(target),
    );
    assert.deepEqual(others, []);
    assert.deepEqual(
      updates.map(({ expected, values }) => [expected, values.length]),
      [[39, 1 + 1 + 39]],
    );
  });
});
