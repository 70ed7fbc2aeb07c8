import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Uuid } from '#kit/std';
import { type DeliveryReport, HEALTHS, type Inventory } from '#protocol/delivery';
import type { TargetId } from '#protocol/targets';
import { FAILURE_REASONS } from '../rollout/machine/member.ts';
import { type DeploymentTarget, ORDER_STATES } from './deployment-target.ts';
import { hasContent, mayHave, withOrder, withoutOrder } from './order-of-target.ts';
import { reduceConnection, reduceInventory } from './reduce-inventory.ts';
import { reduceReport } from './reduce-report.ts';
import { countsAfter, NO_COUNTS } from './status/counts-after.ts';

const DEPLOYMENT = '00000000-0000-7000-8000-0000000000d1' as Uuid;
const TARGET = 'one' as TargetId;

const revision = fc.integer({ min: 1, max: 4 });
const hash = fc.constantFrom('a', 'b');
const health = fc.constantFrom(...HEALTHS);
const message = fc.constantFrom('', 'oh');

const row: fc.Arbitrary<DeploymentTarget> = fc.record({
  deployment: fc.constant(DEPLOYMENT),
  target: fc.constant(TARGET),
  name: fc.constant('one'),
  type: fc.constant('kubernetes'),
  isPlaced: fc.boolean(),
  isOnline: fc.boolean(),
  applied: fc.option(fc.record({ revision, hash }), { nil: undefined }),
  order: fc.option(
    fc.record({
      kind: fc.constantFrom('deliver', 'remove'),
      revision,
      batch: fc.constant(1),
      state: fc.constantFrom(...ORDER_STATES),
      hash,
      since: fc.constant(1),
    }),
    { nil: undefined },
  ),
  failure: fc.option(fc.record({ reason: fc.constantFrom(...FAILURE_REASONS), message, revision }), { nil: undefined }),
  health,
  healthRevision: fc.integer({ min: 0, max: 4 }),
  healthMessage: message,
  isOwed: fc.boolean(),
  drift: fc.constantFrom([], ['x']),
  instance: fc.constantFrom(undefined, 'i1'),
  updateTime: fc.constant(1),
});

const about = { target: TARGET, deployment: DEPLOYMENT };
const report: fc.Arbitrary<DeliveryReport> = fc.oneof(
  fc.record({ kind: fc.constant('applied' as const), revision, hash }).map((its) => ({ ...about, ...its })),
  fc.record({ kind: fc.constant('removed' as const), revision }).map((its) => ({ ...about, ...its })),
  fc
    .record({ kind: fc.constantFrom('rejected' as const, 'failed' as const), revision, message })
    .map((its) => ({ ...about, ...its })),
  fc.record({ kind: fc.constant('health' as const), revision, health, message }).map((its) => ({ ...about, ...its })),
  fc
    .record({ kind: fc.constant('drift' as const), revision, objects: fc.constantFrom([], ['y', 'x']) })
    .map((its) => ({ ...about, ...its })),
);

const holding = fc.record({ deployment: fc.constant(DEPLOYMENT), revision, hash, health, message });
const inventory: fc.Arbitrary<Inventory> = fc.record({
  target: fc.constant(TARGET),
  instance: fc.constantFrom('i1', 'i2'),
  holdings: fc.array(holding, { maxLength: 1 }),
});

test('what is reported twice changes nothing the second time, and tells nobody', () => {
  fc.assert(
    fc.property(row, report, (before, each) => {
      const first = reduceReport(before, each, 10);
      if (first.row === undefined) return;
      const second = reduceReport(first.row, each, 20);
      assert.equal(second.row, first.row);
      assert.deepEqual(second.rolloutEvents, []);
    }),
  );
});

test('only what speaks of the order ends it, and what is behind it tells its rollout nothing', () => {
  fc.assert(
    fc.property(row, report, (before, each) => {
      const { order } = before;
      const change = reduceReport(before, each, 10);
      if (order === undefined || each.revision === order.revision) return;
      assert.deepEqual(change.row?.order, order);
      const others = change.rolloutEvents.filter(({ kind }) => kind !== 'healthChanged');
      assert.deepEqual(others, []);
    }),
  );
});

test('what an agent has only goes forward by reports, and health never goes back behind a revision', () => {
  fc.assert(
    fc.property(row, report, (before, each) => {
      const { row: after } = reduceReport(before, each, 10);
      if (after === undefined) return;
      if (after.applied !== undefined) assert.ok(after.applied.revision >= (before.applied?.revision ?? 0));
      if (each.kind !== 'removed') assert.ok(after.healthRevision >= before.healthRevision);
    }),
  );
});

/** Above all generated revisions: a higher one would not be believed. */
const GIVEN = { given: 1_000, believed: 1_000 };

test('counts that are kept up by differences are those of the rows, whatever is reported', () => {
  const news = fc.oneof(
    report.map((each) => (it: DeploymentTarget) => reduceReport(it, each, 10).row),
    inventory.map((each) => (it: DeploymentTarget) => reduceInventory(it, each, GIVEN, 10).row),
    fc.boolean().map((isOnline) => (it: DeploymentTarget) => reduceConnection(it, isOnline, 10).row),
  );
  fc.assert(
    fc.property(row, fc.array(news, { maxLength: 6 }), (first, all) => {
      let it: DeploymentTarget | undefined = first;
      let counts = countsAfter(NO_COUNTS, undefined, first);
      for (const reduce of all) {
        if (it === undefined) break;
        const next: DeploymentTarget | undefined = reduce(it);
        counts = countsAfter(counts, it, next);
        it = next;
      }
      assert.deepEqual(counts, countsAfter(NO_COUNTS, undefined, it));
    }),
  );
});

test('after an inventory a row claims nothing that is not in it, and a loss is noticed', () => {
  fc.assert(
    fc.property(row, inventory, (before, all) => {
      const change = reduceInventory(before, all, GIVEN, 10);
      const [held] = all.holdings;
      if (change.row === undefined) return;
      assert.equal(change.row.instance, all.instance);
      assert.equal(change.row.isOnline, true);
      if (held === undefined) assert.equal(change.row.applied, undefined);
      else assert.equal(change.row.applied?.hash, held.hash);
      const isLost =
        before.isPlaced && before.applied !== undefined && change.row.applied?.hash !== before.applied.hash;
      if (isLost && change.row.order !== undefined) assert.equal(change.isRebuilt, true);
    }),
  );
});

test('what may have reached an agent is never forgotten by asking for something else', () => {
  fc.assert(
    fc.property(row, (before) => {
      const order = { kind: 'deliver', revision: 9, batch: 2, state: 'queued' } as const;
      for (const after of [withOrder(before, order, 10), withoutOrder(before, 10)]) {
        assert.equal(hasContent(after), hasContent(before));
        const isCertain = before.order === undefined || before.order.state === 'queued';
        assert.deepEqual(mayHave(after), isCertain ? before.applied : mayHave(before));
      }
    }),
  );
});

test('whoever ran out of time has failed until it is available with that, whichever is reported first', () => {
  fc.assert(
    fc.property(row, health, fc.boolean(), (any, last, isHealthFirst) => {
      const order = { kind: 'deliver', revision: 2, hash: 'a', batch: 1, state: 'sent', since: 1 } as const;
      const failure = { reason: 'ProgressDeadline', message: 'late', revision: 2 } as const;
      const late = { ...any, applied: undefined, order, failure, health: 'Unknown', healthRevision: 1 } as const;
      const words: DeliveryReport[] = [
        { ...about, kind: 'applied', revision: 2, hash: 'a' },
        { ...about, kind: 'health', revision: 2, health: last, message: '' },
      ];
      let after: DeploymentTarget | undefined = late;
      for (const word of isHealthFirst ? words.reverse() : words) after = after && reduceReport(after, word, 10).row;
      assert.equal(after?.order, undefined);
      assert.deepEqual(after?.failure, last === 'Available' ? undefined : failure);
    }),
  );
});
