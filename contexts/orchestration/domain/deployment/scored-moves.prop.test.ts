import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseResourceName, type Uuid } from '#kit/std';
import type { TargetId } from '#protocol/targets';
import { testSeed } from '#testing/seeded';
import { removalLimit } from '../placement/delta-of.ts';
import { createPlacementRegistry } from '../placement/placement-registry.ts';
import { resolvePlacement } from '../placement/resolve-placement.ts';
import { decideMembership, type Membership, type PlannedTarget } from './decide-plan.ts';
import type { Deployment } from './deployment.ts';
import { newDeployment } from './deployment-draft.ts';
import type { DeploymentTarget } from './deployment-target.ts';
import { requestedChange } from './requested-change.ts';
import type { Trigger } from './trigger.ts';

const UID = '00000000-0000-7000-8000-0000000000d1' as Uuid;
const REGISTRY = createPlacementRegistry();
const SPEED = { type: 'reported', score: 'speed', weight: 1 } as const;
const ROUND_MS = 60_000;
const idOf = (index: number): TargetId => `t${String(index).padStart(2, '0')}` as TargetId;

interface Settings {
  readonly size: number;
  readonly top: number;
  readonly maxRemoval: number | string;
}

/** The events before each plan. The numbers are drawn per target, by its index. */
interface Round {
  readonly scores: readonly (number | 'missing')[];
  readonly cordoned: readonly boolean[];
  /** Whether what was decided last is carried out at the target: deliveries arrive, removals end. */
  readonly isCarriedOut: readonly boolean[];
  /** A rollout is under way: newcomers join it, and what leaves stays until the next plan. */
  readonly isJoining: boolean;
  readonly patchesTop: number | undefined;
}

const SIZE = 30;
const each = <T>(one: fc.Arbitrary<T>): fc.Arbitrary<T[]> => fc.array(one, { minLength: SIZE, maxLength: SIZE });
const settings: fc.Arbitrary<Settings> = fc.record({
  size: fc.integer({ min: 2, max: SIZE }),
  top: fc.integer({ min: 1, max: 12 }),
  maxRemoval: fc.constantFrom(0, 1, 2, '10%', '50%', '100%'),
});
const round = (patchesTop: Round['patchesTop'][]): fc.Arbitrary<Round> =>
  fc.record({
    scores: each(
      fc.oneof(
        { weight: 9, arbitrary: fc.integer({ min: -100, max: 100 }) },
        { weight: 1, arbitrary: fc.constant('missing' as const) },
      ),
    ),
    cordoned: each(fc.integer({ min: 0, max: 9 }).map((drawn) => drawn === 0)),
    isCarriedOut: each(fc.integer({ min: 0, max: 3 }).map((drawn) => drawn > 0)),
    isJoining: fc.integer({ min: 0, max: 2 }).map((drawn) => drawn === 0),
    patchesTop: fc.constantFrom(...patchesTop),
  });

interface Fleet {
  readonly deployment: Deployment;
  readonly top: number;
  readonly rows: ReadonlyMap<TargetId, DeploymentTarget>;
}

function founded({ top, maxRemoval }: Settings): Fleet {
  const workspace = { name: parseResourceName('shop'), path: '/root/shop/' };
  const founding = { uid: UID, name: parseResourceName('web'), workspace, owner: undefined, now: 1 };
  const rollout = { type: 'immediate', maxRemoval };
  const draft = { manifest: { type: 'inline' }, placement: [{ type: 'all' }], rollout };
  const { deployment } = newDeployment(draft, { ...founding, fingerprint: (text) => text });
  return { deployment, top, rows: new Map() };
}

function planned(fleet: Fleet, { size }: Settings, now: number, round: Round) {
  const top = round.patchesTop ?? fleet.top;
  const pool = Array.from({ length: size }, (_, index): PlannedTarget => {
    const lifecycle = round.cordoned[index] === true ? 'Cordoned' : 'Active';
    const id = idOf(index);
    return { id, name: id, type: 'kubernetes', labels: {}, lifecycle, manifestTypes: [], isOnline: true };
  });
  const scores = new Map(
    round.scores.flatMap((value, index): [TargetId, ReadonlyMap<string, { value: number; time: number }>][] =>
      value === 'missing' ? [] : [[idOf(index), new Map([['speed', { value, time: now }]])]],
    ),
  );
  const rows = [...fleet.rows.values()];
  const previous = new Set(rows.filter(({ isPlaced }) => isPlaced).map(({ target }) => target));
  const spec = { type: 'scored', top, weights: [SPEED] };
  const resolution = resolvePlacement([spec], pool, { registry: REGISTRY, previous, scores, now });
  assert.ok(resolution.kind === 'sure');
  const isPatch = top !== fleet.top;
  const triggers: Trigger[] = isPatch ? [{ kind: 'spec', axes: ['placement'], by: 'ann' }] : [{ kind: 'scores' }];
  const targets = new Map(pool.map((target) => [target.id, target]));
  const requested = requestedChange(triggers);
  const membership = decideMembership({ deployment: fleet.deployment, requested, rows, resolution, targets, now });
  return { membership, top };
}

/** As `hearTriggers` applies a change of membership to the rollout under way. */
function joined(before: Fleet['rows'], { rows, delta }: Membership): ReadonlyMap<TargetId, DeploymentTarget> {
  const added = [...rows].filter(([id]) => delta.added.includes(id));
  return new Map([...before, ...added]);
}

/** Some agents carry out what was decided, others are late. */
function carriedOut(membership: Membership, { isCarriedOut }: Round): ReadonlyMap<TargetId, DeploymentTarget> {
  const rows = [...membership.rows.values()].flatMap((row): DeploymentTarget[] => {
    if (isCarriedOut[Number(row.target.slice(1))] !== true) return [row];
    return row.isPlaced ? [{ ...row, applied: { revision: 1, hash: 'a' } }] : [];
  });
  return new Map(rows.map((row) => [row.target, row]));
}

const series = (tops: Round['patchesTop'][]) =>
  fc.tuple(settings, fc.array(round(tops), { minLength: 1, maxLength: 10 }));
const RUNS = { numRuns: 400, seed: testSeed() };

test('changing scores never place more than the best, and moves under way stay within maxRemoval', () => {
  fc.assert(
    fc.property(series([undefined]), ([given, rounds]) => {
      let fleet = founded(given);
      const { top, maxRemoval } = given;
      const moves = removalLimit(maxRemoval, top);
      for (const [index, round] of rounds.entries()) {
        const { membership } = planned(fleet, given, (index + 1) * ROUND_MS, round);
        const rows = round.isJoining ? joined(fleet.rows, membership) : membership.rows;
        assert.ok(rows.size <= top + moves, `${rows.size} have it, of ${top} and ${moves} moves`);
        const placed = [...rows.values()].filter(({ isPlaced }) => isPlaced).length;
        const { held, retained } = membership.placement;
        // Doubt may begin while a rollout has both ends of a move: then both are kept.
        const most = Math.max(top, new Set(retained.map(({ id }) => id)).size);
        assert.ok(round.isJoining || held.length > 0 || placed <= most, `${placed} are placed of ${most}`);
        fleet = { ...fleet, rows: carriedOut({ ...membership, rows }, round) };
      }
    }),
    RUNS,
  );
});

test('a newcomer is placed only within the best, whatever is kept in doubt, cordoned or held', () => {
  fc.assert(
    fc.property(series([undefined, undefined, 1, 3, 6]), ([given, rounds]) => {
      let fleet = founded(given);
      for (const [index, round] of rounds.entries()) {
        const { membership, top } = planned(fleet, given, (index + 1) * ROUND_MS, round);
        const { delta, placement } = membership;
        assert.ok(delta.added.length === 0 || delta.added.length + delta.unchanged.length <= top);
        // A move is one step: where nothing is held, every target that leaves has made room for the best.
        const free = round.scores.filter(
          (score, at) => score !== 'missing' && round.cordoned[at] === false && at < given.size,
        );
        const isFull = delta.added.length + delta.unchanged.length >= Math.min(top, free.length);
        assert.ok(placement.held.length > 0 || isFull);
        fleet = { ...fleet, top, rows: carriedOut(membership, round) };
      }
    }),
    RUNS,
  );
});
