import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Holding, Inventory } from '#protocol/delivery';
import { aRow } from '../../testing/a-row.ts';
import type { DeploymentTarget } from './deployment-target.ts';
import { reduceConnection, reduceInventory } from './reduce-inventory.ts';

const { target, deployment } = aRow();
const GIVEN = { given: 9, believed: 9 };
const NOW = 2_000;

const order = (its: Partial<NonNullable<DeploymentTarget['order']>>) =>
  ({ kind: 'deliver', revision: 2, batch: 1, state: 'accepted', hash: 'sha256:2', since: 1_000, ...its }) as const;

function inventory(holdings: readonly Partial<Holding>[], instance = 'i-1'): Inventory {
  const whole = holdings.map(
    (its): Holding => ({ deployment, revision: 1, hash: 'sha256:1', health: 'Available', message: '', ...its }),
  );
  return { target, instance, holdings: whole };
}

const heard = (row: DeploymentTarget, said: Inventory) => reduceInventory(row, said, GIVEN, NOW);

describe('an inventory without the deployment', () => {
  it('ends a removal that a rollout planned and has not ordered yet', () => {
    const { row, rolloutEvents } = heard(aRow({ isPlaced: false }), inventory([]));
    assert.equal(row, undefined);
    assert.deepEqual(rolloutEvents, [{ kind: 'removed', target }], 'the rollout would wait for it otherwise');
  });

  it('ends a removal that was sent', () => {
    const row = aRow({ isPlaced: false, order: order({ kind: 'remove', state: 'sent' }) });
    const { rolloutEvents, ...after } = heard(row, inventory([]));
    assert.deepEqual([after.row, rolloutEvents], [undefined, [{ kind: 'removed', target }]]);
  });

  it('does not end a removal that waits to be sent after content that was never confirmed', () => {
    const row = aRow({ isPlaced: false, applied: undefined, order: order({ kind: 'remove', state: 'queued' }) });
    assert.equal(heard(row, inventory([])).row?.order?.state, 'queued');
  });

  it('means that placed content is lost, and has to be delivered again', () => {
    const { row, isRebuilt } = heard(aRow(), inventory([]));
    assert.deepEqual([row?.applied, row?.health, isRebuilt], [undefined, 'Unknown', true]);
  });

  it('has an order sent again that another installation had accepted', () => {
    const row = aRow({ instance: 'i-0', order: order({ state: 'accepted' }) });
    const after = heard(row, inventory([]));
    assert.deepEqual([after.row?.order?.state, after.row?.instance], ['sent', 'i-1']);
    assert.deepEqual(after.rolloutEvents, [{ kind: 'connectionChanged', target, isOnline: true }]);
  });

  it('leaves an accepted order to the installation that has it', () => {
    const row = aRow({ instance: 'i-1', applied: undefined, order: order({ state: 'accepted' }) });
    const after = heard(row, inventory([]));
    assert.deepEqual([after.row?.order?.state, after.rolloutEvents], ['accepted', []]);
  });
});

describe('an inventory with the deployment', () => {
  it('is the truth about the target, even if older than the last report', () => {
    const row = aRow({ applied: { revision: 3, hash: 'sha256:3' } });
    const after = heard(row, inventory([{ revision: 2, hash: 'sha256:2' }]));
    assert.deepEqual([after.row?.applied, after.isRebuilt], [{ revision: 2, hash: 'sha256:2' }, true]);
  });

  it('ends an order that was carried out meanwhile, which is no loss of the old content', () => {
    const after = heard(aRow({ order: order({}) }), inventory([{ revision: 2, hash: 'sha256:2' }]));
    assert.deepEqual([after.row?.order, after.row?.applied?.revision, after.isRebuilt], [undefined, 2, false]);
  });

  it('says how healthy it is', () => {
    const after = heard(aRow(), inventory([{ health: 'Degraded', message: 'a Pod crashes' }]));
    assert.deepEqual([after.row?.health, after.row?.healthMessage], ['Degraded', 'a Pod crashes']);
    assert.equal(after.isRebuilt, false);
  });

  it('is taken as a sign that the target is online', () => {
    const after = heard(aRow({ isOnline: false }), inventory([{}]));
    assert.equal(after.row?.isOnline, true);
    assert.deepEqual(after.rolloutEvents[0], { kind: 'connectionChanged', target, isOnline: true });
  });
});

describe('a connection', () => {
  it('that is as it was changes nothing', () => {
    const row = aRow();
    assert.deepEqual(reduceConnection(row, true, NOW), { row, rolloutEvents: [] });
  });

  it('that ends leaves the health as it was last known', () => {
    const { row } = reduceConnection(aRow(), false, NOW);
    assert.deepEqual([row?.isOnline, row?.health, row?.updateTime], [false, 'Available', NOW]);
  });

  it('that is back makes the health unknown', () => {
    const { row } = reduceConnection(aRow({ isOnline: false, healthMessage: 'fine' }), true, NOW);
    assert.deepEqual([row?.health, row?.healthMessage], ['Unknown', '']);
  });
});
