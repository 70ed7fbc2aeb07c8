import assert from 'node:assert/strict';
import type { TargetId } from '#protocol/targets';
import type { SeededRandom } from '#testing/seeded';
import { eachCase, type Soak } from '#testing/soak';
import type { PlacementView } from '../target-view.ts';
import type { ReportedScores } from './placement-strategy.ts';
import { resolvePlacement } from './resolve-placement.ts';
import type { ScoredPlacement } from './scored-spec.ts';
import { contextOf, viewOf } from './testing/view-of.ts';

const ROUNDS = 12;
const ROUND_MS = 60_000;

/**
 * Every case is two series of scores over one fleet: one that fluctuates within the hysteresis, and one without bounds.
 */
export const soak: Soak = {
  description: 'scored placement under noisy scores: nothing moves beyond what the hysteresis allows',
  defaultCount: 10_000,
  async run(options) {
    await eachCase(options, async ({ random }) => {
      const fleet = drawFleet(random);
      calmSeries(fleet, random);
      stormySeries(fleet, random);
    });
  },
};

interface Fleet {
  readonly pool: readonly PlacementView[];
  readonly spec: ScoredPlacement;
  readonly hysteresis: number;
  readonly spread: number;
  readonly means: ReadonlyMap<TargetId, number>;
}

type Totals = ReadonlyMap<TargetId, number>;

/**
 * Totals that stay within a quarter of the hysteresis around their mean never cause a move: two of them approach each
 * other by at most half of it, and were at most another half apart the wrong way when the first was chosen. Missing
 * reports and temporarily cordoned targets cause no moves either.
 */
function calmSeries(fleet: Fleet, random: SeededRandom): void {
  const wobble = fleet.hysteresis * 0.249;
  const first = place(fleet, { totals: drawTotals(fleet, wobble, random), placed: new Set(), round: 0 });
  for (let round = 1; round < ROUNDS; round += 1) {
    const heard = [...drawTotals(fleet, wobble, random)].filter(() => random.next() > 0.2);
    const pool = fleet.pool.map((target) =>
      random.next() < 0.1 ? { ...target, lifecycle: 'Cordoned' as const } : target,
    );
    const placed = place({ ...fleet, pool }, { totals: new Map(heard), placed: first, round });
    assert.deepEqual(placed, first);
  }
}

/**
 * Every move gains more than the hysteresis at the moment it is made. So over a whole series there are at most as many
 * moves as the sum of all changes divided by the hysteresis.
 */
function stormySeries(fleet: Fleet, random: SeededRandom): void {
  let totals = drawTotals(fleet, 40, random);
  let placed = place(fleet, { totals, placed: new Set(), round: 0 });
  let moves = 0;
  let wobbled = 0;
  for (let round = 1; round < ROUNDS; round += 1) {
    const before = totals;
    totals = drawTotals(fleet, 40, random);
    wobbled += fleet.pool.reduce((sum, { id }) => sum + Math.abs(valueOf(totals, id) - valueOf(before, id)), 0);
    const next = place(fleet, { totals, placed, round });
    const moved = [...next].filter((id) => !placed.has(id)).length;
    assert.equal(next.size, placed.size);
    assert.ok(worthOf(fleet, totals, next) - worthOf(fleet, totals, placed) >= moved * fleet.hysteresis - 1e-6);
    moves += moved;
    placed = next;
  }
  assert.ok(moves * fleet.hysteresis <= wobbled + 1e-6, `${moves} moves for ${wobbled} points`);
}

function drawFleet(random: SeededRandom): Fleet {
  const size = random.integer(2, 14);
  const zones = random.integer(1, 4);
  const pool = random
    .shuffled(Array.from({ length: size }, (_, index) => index))
    .map((index) => viewOf(`t${index}`, { labels: { zone: `z${random.integer(1, zones)}` } }));
  const hysteresis = random.integer(1, 30);
  const spread = random.pick([0, 0, 1, 7, 30]);
  const weights: ScoredPlacement['weights'] = [
    { type: 'reported', score: 'speed', weight: 1 },
    ...(spread > 0 ? [{ type: 'spread', label: 'zone', weight: spread } as const] : []),
  ];
  const spec: ScoredPlacement = {
    type: 'scored',
    top: random.integer(1, size),
    weights,
    hysteresis,
    maxScoreAge: '30s',
  };
  // Many totals are equal, which is where fluctuation would hurt.
  const means = new Map(pool.map(({ id }) => [id, random.integer(-2, 2) * random.pick([0, 5, 20])]));
  return { pool, spec, hysteresis, spread, means };
}

function drawTotals({ means }: Fleet, wobble: number, random: SeededRandom): Totals {
  return new Map([...means].map(([id, mean]) => [id, mean + (random.next() * 2 - 1) * wobble]));
}

interface Round {
  readonly totals: Totals;
  readonly placed: ReadonlySet<TargetId>;
  readonly round: number;
}

/** A score that is not reported this round is from the round before, which is too old. */
function place({ pool, spec, means }: Fleet, { totals, placed, round }: Round): ReadonlySet<TargetId> {
  const now = round * ROUND_MS;
  const scores: ReportedScores = new Map(
    [...means].map(([id, mean]) => {
      const value = totals.get(id);
      const score = value === undefined ? { value: mean, time: now - ROUND_MS } : { value, time: now };
      return [id, new Map([['speed', score]])];
    }),
  );
  const resolution = resolvePlacement([spec], pool, contextOf({ previous: placed, scores, now }));
  assert.ok(resolution.kind === 'sure');
  return new Set(resolution.targets);
}

/** The sum of the totals, minus the cost of crowding. */
function worthOf({ pool, spread }: Fleet, totals: Totals, placed: ReadonlySet<TargetId>): number {
  const crowds = new Map<string | undefined, number>();
  let worth = 0;
  for (const { id, labels } of pool) {
    if (!placed.has(id)) continue;
    const crowd = crowds.get(labels['zone']) ?? 0;
    worth += valueOf(totals, id) - spread * crowd;
    crowds.set(labels['zone'], crowd + 1);
  }
  return worth;
}

function valueOf(totals: Totals, id: TargetId): number {
  const value = totals.get(id);
  assert.ok(value !== undefined);
  return value;
}
