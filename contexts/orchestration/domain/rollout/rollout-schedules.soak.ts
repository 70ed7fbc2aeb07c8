import assert from 'node:assert/strict';
import fc from 'fast-check';
import { HEALTHS } from '#protocol/delivery';
import type { Soak } from '#testing/soak';
import { COLLISION_POLICIES, FAILURE_POLICIES, OFFLINE_POLICIES } from '../budget/budget.ts';
import { BUILT_IN_GATES } from './gates/built-in-gates.ts';
import type { GateAnswer, GateSpec } from './gates/gate.ts';
import { createDecide } from './machine/decide.ts';
import { untouchedBy } from './machine/hear-replan.ts';
import type { RolloutEvent } from './machine/rollout-event.ts';
import type { RolloutState } from './machine/rollout-state.ts';
import type { Plan } from './plan.ts';
import { type RolloutSpec, rolloutFaults } from './rollout-strategy.ts';
import { BUILT_IN_ROLLOUTS } from './strategies/built-in-rollouts.ts';
import { type FleetTarget, factsOf, idOf, membersOf, planOf, REVISION, rolloutOf } from './testing/a-rollout.ts';
import { brokenEnd, brokenRules } from './testing/broken-rules.ts';
import { type SimulatedEnd, type SimulatedStep, simulate, type TargetScript } from './testing/fleet-simulator.ts';
import { GateWatch } from './testing/gate-watch.ts';

const decide = createDecide(BUILT_IN_GATES);
const MINUTE = 60_000;

/** Random fleets, rollouts and fault schedules. fast-check finds the smallest one that breaks a rule. */
export const soak: Soak = {
  description: 'rollouts of random fleets under faults: budgets, gates, membership, replay, and no silent stop',
  defaultCount: 20_000,
  async run({ count, seed, signal, progress }) {
    let done = 0;
    const property = fc.property(schedule, (it) => {
      signal.throwIfAborted();
      runSchedule(it);
      done += 1;
      progress(Math.min(done, count));
    });
    fc.assert(property, { numRuns: count, seed });
  },
};

interface Schedule {
  readonly spec: RolloutSpec;
  readonly fleet: readonly (FleetTarget & { readonly script: TargetScript })[];
  readonly answers: readonly { readonly afterMs: number; readonly answer: GateAnswer }[];
  readonly disturbances: readonly { readonly at: number; readonly event: RolloutEvent | 'replan' }[];
  /** The spec that a replan uses. */
  readonly otherSpec: RolloutSpec;
  readonly resumeAfterMs: number | undefined;
}

function runSchedule({ spec, otherSpec, fleet, answers, resumeAfterMs, ...it }: Schedule): void {
  assert.deepEqual(rolloutFaults(spec, BUILT_IN_ROLLOUTS, { at: '', gates: BUILT_IN_GATES }), []);
  const scripts = new Map(fleet.map(({ name, script }) => [idOf(name), script]));
  const first = rolloutOf(spec, fleet);
  const replan = (state: RolloutState): RolloutEvent => ({
    kind: 'replan',
    plan: planAgain(state, otherSpec, fleet),
    facts: [],
  });
  const disturbances = it.disturbances.map(({ at, event }) => ({
    at,
    event: event === 'replan' ? replan : event,
  }));
  const gates = new GateWatch();
  const resume = resumeAfterMs === undefined ? {} : { resumeAfterMs };
  const look = (step: SimulatedStep): void => {
    assert.deepEqual(brokenRules(step, gates), []);
  };
  const end = simulate({ state: first, decide, scripts, answers, disturbances, ...resume, look });
  assert.deepEqual(brokenEnd(end.state), []);
  replaysAlike(first, end);
}

function replaysAlike(first: RolloutState, { steps }: SimulatedEnd): void {
  let state = first;
  for (const { event, now, actions } of steps) {
    const stored = JSON.parse(JSON.stringify(state)) as RolloutState;
    const again = decide(stored, event, now);
    assert.deepEqual(again.actions, actions);
    state = again.state;
  }
}

/** The plan of another spec for the current members of the rollout. */
function planAgain(state: RolloutState, spec: RolloutSpec, fleet: readonly FleetTarget[]): Plan {
  const untouched = untouchedBy(state);
  const members = membersOf(state).filter(({ status }) => status !== 'Dropped');
  const targets = members.map(({ id, change, hasContent }): FleetTarget => {
    const labels = fleet.find(({ name }) => name === id)?.labels ?? {};
    return { name: id, labels, hasContent, isRemoved: change === 'remove', isUpToDate: untouched.has(id) };
  });
  return planOf(spec, targets);
}

const TIERS = ['canary', 'prod', 'edge'] as const;
const share = (least: number) =>
  fc.oneof(
    fc.integer({ min: least, max: 5 }),
    fc.integer({ min: Math.max(least, 10), max: 100 }).map((n) => `${n}%`),
  );
const minutes = (max: number) => fc.integer({ min: 1, max }).map((n) => n * MINUTE);
const span = (max: number) => fc.integer({ min: 1, max }).map((n) => `${n}m`);

const gate: fc.Arbitrary<GateSpec> = fc.oneof(
  span(5).map((duration) => ({ type: 'wait', duration })),
  fc.constant({ type: 'approval' }),
  span(9).map((expiry) => ({ type: 'approval', expiry, requireDistinctApprover: true })),
  span(3).map((stableDuration) => ({ type: 'health', stableDuration })),
  fc.constant({ type: 'deploymentHealth', deployment: 'db', stableDuration: '1m', timeout: '9m' }),
);

const budget = fc.record(
  {
    maxConcurrency: share(1),
    minAvailable: share(0),
    maxUnavailable: share(0),
    maxFailures: share(0),
    progressDeadline: span(9),
    offlinePolicy: fc.constantFrom(...OFFLINE_POLICIES),
    offlineDeadline: span(9),
    onCollision: fc.constantFrom(...COLLISION_POLICIES),
    failurePolicy: fc.constantFrom(...FAILURE_POLICIES),
  },
  { requiredKeys: [] },
);

const removal = fc.record(
  { order: fc.constantFrom('first' as const, 'last' as const), beforeTasks: fc.array(gate, { maxLength: 1 }) },
  { requiredKeys: [] },
);

const stage = (tier: string) =>
  fc.record(
    {
      name: fc.constant(tier),
      selector: fc.constant({ matchLabels: { tier } }),
      maxConcurrency: share(1),
      beforeTasks: fc.array(gate, { maxLength: 1 }),
      afterTasks: fc.array(gate, { maxLength: 2 }),
      failurePolicy: fc.constantFrom(...FAILURE_POLICIES),
    },
    { requiredKeys: ['name', 'selector'] },
  );

const stages = fc.tuple(stage('canary'), stage('prod')).chain((both) => fc.subarray(both));
const spec: fc.Arbitrary<RolloutSpec> = fc.oneof(
  fc.record({ removal }, { requiredKeys: [] }).map((own) => ({ ...own, type: 'immediate' })),
  fc
    .record({ removal, batchSize: share(1) }, { requiredKeys: ['batchSize'] })
    .map((own) => ({ ...own, type: 'rolling' })),
  fc.record({ removal, stages }, { requiredKeys: ['stages'] }).map((own) => ({ ...own, type: 'staged' })),
  stages.map((own) => ({ type: 'staged', stages: own, removal: { order: 'withStage' } })),
);

const script: fc.Arbitrary<TargetScript> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ answer: fc.constant('delivered' as const), answerMs: minutes(2), wellMs: minutes(2) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      answer: fc.constantFrom('unchanged', 'deliveryFailed', 'rejected', 'generateFailed', 'silent', 'delivered'),
      answerMs: minutes(2),
    }),
  },
);

const target = fc.record({
  tier: fc.constantFrom(...TIERS),
  isOnline: fc.boolean(),
  health: fc.constantFrom('Available' as const, ...HEALTHS),
  hasContent: fc.boolean(),
  fate: fc.constantFrom('change', 'change', 'change', 'removed', 'upToDate'),
  script,
});

/** Names come from a counter, so that shrinking does not touch them. */
const fleet = fc.array(target, { maxLength: 9 }).map((targets) =>
  targets.map(({ tier, fate, ...own }, index) => ({
    ...own,
    name: `t${index}`,
    labels: { tier },
    isRemoved: fate === 'removed',
    isUpToDate: fate === 'upToDate' && own.hasContent,
  })),
);

const answers = fc.array(
  fc.record({
    afterMs: minutes(6),
    answer: fc.constantFrom<GateAnswer>(
      { kind: 'approved', by: 'bob' },
      { kind: 'approved', by: 'ann' },
      { kind: 'deploymentHealth', isHealthy: true },
      { kind: 'deploymentHealth', isHealthy: false },
      { kind: 'rejected', by: 'bob', message: 'not today' },
    ),
  }),
  { maxLength: 6 },
);

/** Targets beyond the size of the fleet are joiners. */
const someone = fc.integer({ min: 0, max: 11 }).map((index) => idOf(`t${index}`));
const joiner = fc
  .record({ id: someone, tier: fc.constantFrom(...TIERS), isOnline: fc.boolean() })
  .map(({ id, tier, isOnline }) => ({ ...factsOf({ name: id, hasContent: false, isOnline }), labels: { tier } }));

const disturbance: fc.Arbitrary<RolloutEvent | 'replan'> = fc.oneof(
  fc.record({ kind: fc.constant('connectionChanged' as const), target: someone, isOnline: fc.boolean() }),
  fc.record({
    kind: fc.constant('healthChanged' as const),
    target: someone,
    health: fc.constantFrom(...HEALTHS),
    revision: fc.constantFrom(REVISION - 1, REVISION),
  }),
  fc.record({ kind: fc.constant('delivered' as const), target: someone, changed: fc.boolean() }),
  fc.record({
    kind: fc.constant('membershipChanged' as const),
    joined: fc.array(joiner, { maxLength: 2 }),
    left: fc.array(someone, { maxLength: 2 }),
  }),
  fc.constantFrom<RolloutEvent | 'replan'>(
    'replan',
    { kind: 'pause', by: 'ann', message: 'lunch' },
    { kind: 'resume' },
    { kind: 'retry' },
    { kind: 'clock' },
    { kind: 'superseded', by: REVISION + 1 },
    { kind: 'abort' },
  ),
);

const paced = fc.tuple(spec, budget).map(([own, common]) => ({ ...common, ...own }));
const schedule: fc.Arbitrary<Schedule> = fc.record({
  spec: paced,
  otherSpec: paced,
  fleet,
  answers,
  disturbances: fc.array(fc.record({ at: minutes(40), event: disturbance }), { maxLength: 8 }),
  resumeAfterMs: fc.option(minutes(9), { nil: undefined }),
});
