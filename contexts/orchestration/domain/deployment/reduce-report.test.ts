import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aRow } from '../../testing/a-row.ts';
import type { DeploymentTarget } from './deployment-target.ts';
import { reduceReport } from './reduce-report.ts';

const { target, deployment } = aRow();
const said = { target, deployment };
const NOW = 2_000;

const order = (its: Partial<NonNullable<DeploymentTarget['order']>> = {}) =>
  ({ kind: 'deliver', revision: 2, batch: 1, state: 'accepted', hash: 'sha256:2', since: 1_000, ...its }) as const;
const late = { reason: 'ProgressDeadline', message: 'too slow', revision: 2 } as const;

describe('a report that content was applied', () => {
  const applied = (row: DeploymentTarget, revision: number, hash: string) =>
    reduceReport(row, { kind: 'applied', ...said, revision, hash }, NOW);

  it('ends the order of this revision and content, and makes health unknown', () => {
    const { row, rolloutEvents } = applied(aRow({ order: order() }), 2, 'sha256:2');
    assert.deepEqual(
      [row?.order, row?.applied, row?.health],
      [undefined, { revision: 2, hash: 'sha256:2' }, 'Unknown'],
    );
    assert.deepEqual(rolloutEvents, [{ kind: 'delivered', target, changed: true, revision: 2 }]);
  });

  it('of other content leaves the order open', () => {
    const { row, rolloutEvents } = applied(aRow({ order: order() }), 2, 'sha256:x');
    assert.deepEqual([row?.order?.revision, rolloutEvents], [2, []]);
  });

  it('of an earlier revision than the order updates what is there, and no more', () => {
    const { row, rolloutEvents } = applied(aRow({ order: order({ revision: 3 }) }), 2, 'sha256:2');
    assert.deepEqual([row?.applied?.revision, row?.order?.revision, rolloutEvents], [2, 3, []]);
  });

  it('of an earlier revision than the one that is there is ignored', () => {
    const row = aRow({ applied: { revision: 3, hash: 'sha256:3' } });
    assert.deepEqual(applied(row, 2, 'sha256:2'), { row, rolloutEvents: [] });
  });

  it('that repeats what is known changes nothing', () => {
    const row = aRow();
    assert.deepEqual(applied(row, 1, 'sha256:1'), { row, rolloutEvents: [] });
  });

  it('keeps the failure of a target that ran out of time until it is available', () => {
    const row = aRow({ order: order(), failure: late, isOwed: true });
    assert.deepEqual(applied(row, 2, 'sha256:2').row?.failure, late);
    const isWell = applied({ ...row, health: 'Available', healthRevision: 2 }, 2, 'sha256:2').row;
    assert.deepEqual([isWell?.failure, isWell?.isOwed], [undefined, false]);
  });

  it('ends other failures, and failures of other revisions', () => {
    const failed = { ...late, reason: 'DeliveryFailed' } as const;
    for (const failure of [failed, { ...late, revision: 1 }]) {
      assert.equal(applied(aRow({ order: order(), failure }), 2, 'sha256:2').row?.failure, undefined);
    }
  });
});

describe('a report that content was removed', () => {
  const removed = (row: DeploymentTarget, revision: number) =>
    reduceReport(row, { kind: 'removed', ...said, revision }, NOW);

  it('ends the row of a target that left', () => {
    const { row } = removed(aRow({ isPlaced: false, order: order({ kind: 'remove' }) }), 2);
    assert.equal(row, undefined);
  });

  it('leaves an empty row of a target that was placed again meanwhile', () => {
    const { row, rolloutEvents } = removed(aRow({ order: order({ kind: 'remove' }), isOwed: true }), 2);
    assert.deepEqual([row?.applied, row?.health, row?.healthRevision, row?.isOwed], [undefined, 'Unknown', 0, false]);
    assert.deepEqual(rolloutEvents, [{ kind: 'removed', target }]);
  });

  it('of another revision than the order is ignored', () => {
    const row = aRow({ isPlaced: false, order: order({ kind: 'remove', revision: 3 }) });
    assert.deepEqual(removed(row, 2), { row, rolloutEvents: [] });
  });

  it('without an order counts if the content is not newer', () => {
    assert.equal(removed(aRow({ isPlaced: false }), 1).row, undefined);
    const newer = aRow({ isPlaced: false, applied: { revision: 3, hash: 'sha256:3' } });
    assert.deepEqual(removed(newer, 2), { row: newer, rolloutEvents: [] });
  });
});

describe('a report that an order failed', () => {
  for (const { why, kind, order: its, reason, event, hash } of [
    { why: 'a delivery', kind: 'failed', order: {}, reason: 'DeliveryFailed', event: 'deliveryFailed', hash: '' },
    {
      why: 'a refused delivery',
      kind: 'rejected',
      order: {},
      reason: 'Rejected',
      event: 'rejected',
      hash: 'sha256:1',
    },
    {
      why: 'a removal',
      kind: 'failed',
      order: { kind: 'remove' },
      reason: 'RemoveFailed',
      event: 'removeFailed',
      hash: '',
    },
  ] as const) {
    it(`tells ${reason} of ${why}, and what may be on the target`, () => {
      const report = { kind, ...said, revision: 2, message: 'oh' };
      const { row, rolloutEvents } = reduceReport(aRow({ order: order(its) }), report, NOW);
      assert.deepEqual(row?.failure, { reason, message: 'oh', revision: 2 });
      assert.equal(row?.order, undefined);
      assert.equal(row?.applied?.hash === 'sha256:1', hash === 'sha256:1', JSON.stringify(row?.applied));
      assert.deepEqual(rolloutEvents, [{ kind: event, target, message: 'oh' }]);
    });
  }
});

describe('a report of health', () => {
  const health = (row: DeploymentTarget, its: object) =>
    reduceReport(row, { kind: 'health', ...said, revision: 1, health: 'Degraded', message: 'it crashes', ...its }, NOW);

  it('of an earlier revision than the last one is ignored', () => {
    const row = aRow({ healthRevision: 2 });
    assert.deepEqual(health(row, {}), { row, rolloutEvents: [] });
  });

  it('tells the rollout why it is degraded, and not every new wording of it', () => {
    const { row, rolloutEvents } = health(aRow(), {});
    assert.deepEqual(rolloutEvents, [
      { kind: 'healthChanged', target, health: 'Degraded', revision: 1, message: 'it crashes' },
    ]);
    const again = health(row ?? aRow(), { message: 'it crashes again' });
    assert.deepEqual([again.row?.healthMessage, again.rolloutEvents], ['it crashes again', []]);
  });

  it('ends the failure of a target that became available after all with the content of that revision', () => {
    const row = aRow({
      applied: { revision: 2, hash: 'sha256:2' },
      health: 'Unknown',
      healthRevision: 2,
      failure: late,
    });
    const well = { revision: 2, health: 'Available', message: '' };
    assert.equal(health(row, well).row?.failure, undefined);
    assert.deepEqual(health({ ...row, applied: { revision: 1, hash: 'sha256:1' } }, well).row?.failure, late);
  });
});

describe('a report of progress', () => {
  const report = (row: DeploymentTarget, health: DeploymentTarget['health'], revision = 1) =>
    reduceReport(row, { kind: 'health', ...said, revision, health, message: 'web: 1 of 3' }, NOW);

  it('is shown, and told to the rollout when it was available or degraded before', () => {
    for (const before of ['Available', 'Degraded'] as const) {
      const { row, rolloutEvents } = report(aRow({ health: before }), 'Progressing');
      assert.deepEqual([row?.health, row?.healthMessage], ['Progressing', 'web: 1 of 3']);
      assert.deepEqual(rolloutEvents, [
        { kind: 'healthChanged', target, health: 'Progressing', revision: 1, message: 'web: 1 of 3' },
      ]);
    }
  });

  it('is no event for the rollout when its health was unknown: neither is available, and nothing has failed', () => {
    const { row, rolloutEvents } = report(aRow({ health: 'Unknown' }), 'Progressing');
    assert.deepEqual([row?.health, rolloutEvents], ['Progressing', []]);
    assert.equal(report(row ?? aRow(), 'Available').rolloutEvents.length, 1);
  });

  it('keeps the failure of a target that missed its deadline', () => {
    const row = aRow({ applied: { revision: 2, hash: 'sha256:2' }, health: 'Degraded', failure: late });
    assert.deepEqual(report(row, 'Progressing', 2).row?.failure, late);
  });
});

describe('a report of drift', () => {
  const drift = (row: DeploymentTarget, revision: number, objects: readonly string[]) =>
    reduceReport(row, { kind: 'drift', ...said, revision, objects }, NOW);

  it('lists the objects in order, and asks for a repair', () => {
    const { row, hasDrifted } = drift(aRow(), 1, ['b', 'a']);
    assert.deepEqual([row?.drift, hasDrifted], [['a', 'b'], true]);
  });

  it('that is over asks for none', () => {
    const { row, hasDrifted } = drift(aRow({ drift: ['a'] }), 1, []);
    assert.deepEqual([row?.drift, hasDrifted], [[], false]);
  });

  for (const { why, row, revision } of [
    { why: 'nothing was delivered', row: aRow({ applied: undefined }), revision: 1 },
    { why: 'it is of older content', row: aRow({ applied: { revision: 2, hash: 'sha256:2' } }), revision: 1 },
    { why: 'an order is under way that replaces the content', row: aRow({ order: order() }), revision: 1 },
    { why: 'it is known', row: aRow({ drift: ['a'] }), revision: 1 },
  ]) {
    it(`is ignored where ${why}`, () => assert.deepEqual(drift(row, revision, ['a']), { row, rolloutEvents: [] }));
  }
});
