import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Soak } from '#testing/soak';
import { limitsOf } from '../budget/limits.ts';
import { atLeastOne } from '../budget/share.ts';
import { BUILT_IN_GATES } from './gates/built-in-gates.ts';
import type { GateAnswer, GateSpec } from './gates/gate.ts';
import { createDecide } from './machine/decide.ts';
import { createExplainWait } from './machine/explain-wait.ts';
import type { Happening } from './machine/happening.ts';
import { untouchedBy } from './machine/hear-replan.ts';
import { marksOf } from './machine/member.ts';
import { entriesOf, valueAt } from './machine/number-map.ts';
import type { RolloutState, StepState } from './machine/rollout-state.ts';
import type { Plan } from './plan.ts';
import { type RolloutSpec, rolloutFaults } from './rollout-strategy.ts';
import { BUILT_IN_ROLLOUTS } from './strategies/built-in-rollouts.ts';
import {
  type FleetTarget,
  factsOf,
  idOf,
  memberOf,
  membersOf,
  planOf,
  REVISION,
  rolloutOf,
} from './testing/a-rollout.ts';
import { auditState } from './testing/audit-state.ts';
import { type SimulatedEnd, type SimulatedStep, simulate, type TargetScript } from './testing/fleet-simulator.ts';

const decide = createDecide(BUILT_IN_GATES);
const explainWait = createExplainWait(BUILT_IN_GATES);
const MINUTE = 60_000;

/** Random fleets, rollouts and schedules of faults. fast-check finds the smallest one that breaks a rule. */
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
  readonly disturbances: readonly { readonly at: number; readonly happening: Happening | 'replan' }[];
  /** What a replan makes of it. */
  readonly otherSpec: RolloutSpec;
  readonly resumeAfterMs: number | undefined;
}

function runSchedule({ spec, otherSpec, fleet, answers, resumeAfterMs, ...it }: Schedule): void {
  assert.deepEqual(rolloutFaults(spec, BUILT_IN_ROLLOUTS, { at: '', gates: BUILT_IN_GATES }), []);
  const scripts = new Map(fleet.map(({ name, script }) => [idOf(name), script]));
  const first = rolloutOf(spec, fleet);
  const replan = (state: RolloutState): Happening => ({
    kind: 'replan',
    plan: planAgain(state, otherSpec, fleet),
    facts: [],
  });
  const disturbances = it.disturbances.map(({ at, happening }) => ({
    at,
    happening: happening === 'replan' ? replan : happening,
  }));
  const approved = new Set<string>();
  const resume = resumeAfterMs === undefined ? {} : { resumeAfterMs };
  const look = (step: SimulatedStep): void => {
    const { happening } = step;
    if (happening.kind === 'gateAnswered' && happening.answer.kind === 'approved') approved.add(happening.gate);
    assert.deepEqual(auditState(step.after), []);
    keepsBudget(step);
    keepsGates(step, approved);
    keepsItsEnd(step);
    saysWhatItWaitsFor(step);
  };
  const end = simulate({ state: first, decide, scripts, answers, disturbances, ...resume, look });
  endsOrSaysWhy(end);
  replaysAlike(first, end);
}

/** No target beyond the budget at any instant: what was counted anew from the members is what is looked at. */
function keepsBudget({ after, actions }: SimulatedStep): void {
  const limits = limitsOf(after.budget, after.placed);
  for (const action of actions) {
    if (action.kind !== 'generateAndDeliver' && action.kind !== 'remove') continue;
    const step = stepOf(after, action.target);
    const limit = step.plan.maxConcurrency;
    assert.ok(after.underWay.size <= limits.concurrency, 'more under way than at once');
    assert.ok(limit === undefined || step.underWay <= atLeastOne(limit, step.members), 'more under way than in a step');
    if (action.kind === 'remove') continue;
    assert.ok(after.inChange <= limits.unavailable, 'more in change than may be unavailable');
    const { hasContent, health } = memberOf(after, action.target);
    const wasBroken = hasContent && health === 'Degraded';
    assert.ok(wasBroken || after.unavailable.size <= limits.unavailable, 'more unavailable than may be');
  }
}

/** No target receives a revision whose gate has not cleared. Approvals are counted by what approvers said, not by the state. */
function keepsGates({ after, actions }: SimulatedStep, approved: ReadonlySet<string>): void {
  for (const action of actions) {
    if (action.kind !== 'generateAndDeliver') continue;
    const index = memberOf(after, action.target).step ?? 0;
    for (const [number, { plan, fate }] of entriesOf(after.steps)) {
      if (number === 0 || fate === 'passed') continue;
      if (number <= index) assertApproved(plan.before, `${plan.name}/before`, approved);
      if (number < index) assertApproved(plan.after, `${plan.name}/after`, approved);
    }
  }
}

function assertApproved(specs: readonly GateSpec[], at: string, approved: ReadonlySet<string>): void {
  for (const [index, { type }] of specs.entries()) {
    if (type !== 'approval') continue;
    const isApproved = [...approved].some((gate) => gate.startsWith(`${at}/${index}/`));
    assert.ok(isApproved, `delivered without the approval ${at}/${index}`);
  }
}

/** A rollout that is over, superseded or otherwise, never acts again. */
function keepsItsEnd({ before, after, actions }: SimulatedStep): void {
  if (before.phase.kind !== 'Finished') return;
  assert.equal(after, before);
  assert.deepEqual(actions, []);
}

function saysWhatItWaitsFor({ after, now }: SimulatedStep): void {
  const waits = explainWait(after, now);
  assert.equal(waits.length === 0, after.phase.kind === 'Finished', 'waits, and does not say what for');
  assert.deepEqual(waits, explainWait(JSON.parse(JSON.stringify(after)) as RolloutState, now));
}

/** Nothing is left to happen: then only a person, an approver or the budget may be in the way. */
function endsOrSaysWhy({ state }: SimulatedEnd): void {
  if (state.phase.kind === 'Finished') {
    if (state.phase.outcome !== 'Succeeded') return;
    const left = membersOf(state).filter(
      (member) => !['Done', 'Dropped'].includes(member.status) && !marksOf(member).isOwed,
    );
    assert.deepEqual(left, [], 'succeeded, and forgot somebody');
    return;
  }
  if (state.phase.kind === 'Paused') return;
  const kinds = explainWait(state, state.now).map(({ kind }) => kind);
  const isExcused = kinds.includes('conflict') || kinds.includes('gate');
  assert.ok(isExcused, `hangs on ${kinds.join(', ')}`);
}

function replaysAlike(first: RolloutState, { steps }: SimulatedEnd): void {
  let state = first;
  for (const { happening, now, actions } of steps) {
    const stored = JSON.parse(JSON.stringify(state)) as RolloutState;
    const again = decide(stored, happening, now);
    assert.deepEqual(again.actions, actions);
    state = again.state;
  }
}

/** The plan of another spec for those who are in the rollout now. */
function planAgain(state: RolloutState, spec: RolloutSpec, fleet: readonly FleetTarget[]): Plan {
  const untouched = untouchedBy(state);
  const members = membersOf(state).filter(({ status }) => status !== 'Dropped');
  const targets = members.map(({ id, change, hasContent }): FleetTarget => {
    const labels = fleet.find(({ name }) => name === id)?.labels ?? {};
    return { name: id, labels, hasContent, isRemoved: change === 'remove', isUpToDate: untouched.has(id) };
  });
  return planOf(spec, targets);
}

function stepOf(state: RolloutState, target: string): StepState {
  const step = valueAt(state.steps, memberOf(state, target).step ?? -1);
  assert.ok(step !== undefined);
  return step;
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
    offlinePolicy: fc.constantFrom('wait' as const, 'skip' as const),
    offlineDeadline: span(9),
    onCollision: fc.constantFrom('supersede' as const, 'queue' as const),
    failurePolicy: fc.constantFrom('pause' as const, 'rollback' as const),
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
      failurePolicy: fc.constantFrom('pause' as const, 'rollback' as const),
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
  health: fc.constantFrom('Available' as const, 'Available' as const, 'Degraded' as const, 'Unknown' as const),
  hasContent: fc.boolean(),
  fate: fc.constantFrom('change', 'change', 'change', 'removed', 'upToDate'),
  script,
});

/** Names come from a counter, so that shrinking has nothing to do with them. */
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
      { kind: 'rejected', by: 'bob', message: 'not today' },
    ),
  }),
  { maxLength: 6 },
);

/** Targets beyond the fleet's size are those that join. */
const someone = fc.integer({ min: 0, max: 11 }).map((index) => idOf(`t${index}`));
const joiner = fc
  .record({ id: someone, tier: fc.constantFrom(...TIERS), isOnline: fc.boolean() })
  .map(({ id, tier, isOnline }) => ({ ...factsOf({ name: id, hasContent: false, isOnline }), labels: { tier } }));

const disturbance: fc.Arbitrary<Happening | 'replan'> = fc.oneof(
  fc.record({ kind: fc.constant('connectionChanged' as const), target: someone, isOnline: fc.boolean() }),
  fc.record({
    kind: fc.constant('healthChanged' as const),
    target: someone,
    health: fc.constantFrom('Available' as const, 'Degraded' as const, 'Unknown' as const),
    revision: fc.constantFrom(REVISION - 1, REVISION),
  }),
  fc.record({ kind: fc.constant('delivered' as const), target: someone, changed: fc.boolean() }),
  fc.record({
    kind: fc.constant('membershipChanged' as const),
    joined: fc.array(joiner, { maxLength: 2 }),
    left: fc.array(someone, { maxLength: 2 }),
  }),
  fc.constantFrom<Happening | 'replan'>(
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
  disturbances: fc.array(fc.record({ at: minutes(40), happening: disturbance }), { maxLength: 8 }),
  resumeAfterMs: fc.option(minutes(9), { nil: undefined }),
});
