import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { HEALTHS } from '#protocol/delivery';
import { aRow } from '../../../testing/a-row.ts';
import type { DeploymentTarget } from '../deployment-target.ts';
import { countsAfter, NO_COUNTS } from './counts-after.ts';
import type { TargetCounts } from './deployment-status.ts';

const row: fc.Arbitrary<DeploymentTarget> = fc
  .record({
    isPlaced: fc.boolean(),
    isOnline: fc.boolean(),
    isOwed: fc.boolean(),
    applied: fc.constantFrom(undefined, { revision: 1, hash: 'a' }, { revision: 2, hash: 'b' }),
    order: fc.constantFrom(undefined, { kind: 'deliver', revision: 2, batch: 1, state: 'sent', since: 1 } as const),
    failure: fc.constantFrom(undefined, { reason: 'Rejected', message: 'no', revision: 1 } as const),
    health: fc.constantFrom(...HEALTHS),
    healthRevision: fc.integer({ min: 0, max: 2 }),
    drift: fc.subarray(['x']),
  })
  .map((its) => aRow(its));

test('counts kept by differences are those of a recount, whatever happens to whichever row', () => {
  const rows = fc.array(fc.tuple(fc.integer({ min: 0, max: 3 }), fc.option(row, { nil: undefined })), {
    maxLength: 20,
  });
  fc.assert(
    fc.property(rows, (changes) => {
      const fleet = new Map<number, DeploymentTarget>();
      let counts = NO_COUNTS;
      for (const [number, after] of changes) {
        counts = countsAfter(counts, fleet.get(number), after);
        if (after === undefined) fleet.delete(number);
        else fleet.set(number, after);
      }
      assert.deepEqual(counts, recounted([...fleet.values()]));
    }),
    { numRuns: 500 },
  );
});

test('counts stored before targets could be progressing count the first that is', () => {
  const { progressing: _, ...stored } = countsAfter(
    NO_COUNTS,
    undefined,
    aRow({ applied: { revision: 1, hash: 'a' } }),
  );
  const before = aRow({ applied: { revision: 1, hash: 'a' } });
  const counts = countsAfter(stored, before, { ...before, health: 'Progressing', healthRevision: 1 });
  assert.equal(counts.progressing, 1);
});

test('a row that changes in nothing that is counted leaves the very same counts', () => {
  assert.equal(countsAfter(NO_COUNTS, aRow(), aRow({ updateTime: 9, healthMessage: 'x' })), NO_COUNTS);
});

/** Recounts by the definitions of `TargetCounts`. */
function recounted(rows: readonly DeploymentTarget[]): TargetCounts {
  const placed = rows.filter(({ isPlaced }) => isPlaced);
  const speaks = ({ applied, healthRevision }: DeploymentTarget) =>
    applied !== undefined && healthRevision >= applied.revision;
  const has = ({ applied, order, failure, isOwed }: DeploymentTarget) =>
    applied !== undefined && order === undefined && failure === undefined && !isOwed;
  return {
    placed: placed.length,
    available: placed.filter((each) => has(each) && each.isOnline && speaks(each) && each.health === 'Available')
      .length,
    degraded: placed.filter((each) => speaks(each) && each.health === 'Degraded').length,
    progressing: placed.filter((each) => speaks(each) && each.health === 'Progressing').length,
    unknown: placed.filter((each) => each.applied !== undefined && (!speaks(each) || each.health === 'Unknown')).length,
    offline: placed.filter(({ isOnline }) => !isOnline).length,
    underWay: rows.filter(({ order }) => order !== undefined).length,
    failed: rows.filter(({ failure }) => failure !== undefined).length,
    leaving: rows.length - placed.length,
    drifted: placed.filter(({ drift }) => drift.length > 0).length,
    ahead: rows.filter(({ failure }) => failure?.reason === 'RevisionAhead').length,
  };
}
