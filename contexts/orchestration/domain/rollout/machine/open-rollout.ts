import type { TargetId } from '#protocol/targets';
import { atLeastOne } from '../../budget/budget.ts';
import type { Plan, PlanStep } from '../plan.ts';
import type { Member, MemberFacts } from './member.ts';
import { emptyMap } from './number-map.ts';
import { LATE_STEP, type RolloutState, type StepState } from './rollout-state.ts';
import { addMember, beginTurn, putStep, type Turn } from './turn.ts';

export interface RolloutStart {
  readonly rollout: string;
  readonly revision: number;
  /** The user or component that asked for the rollout. A distinct approver is another person. */
  readonly requestedBy: string;
  /** All principals who wrote something that it brings, or asked for it; `[requestedBy]` by default. */
  readonly requesters?: readonly string[];
  readonly plan: Plan;
  /** Facts of every target in the plan. */
  readonly facts: readonly MemberFacts[];
  readonly now: number;
}

/** The initial state of a rollout. */
export function openRollout(start: RolloutStart): RolloutState {
  const turn = beginTurn(emptyRollout(start), start.now, new Map());
  const facts = new Map(start.facts.map((fact) => [fact.id, fact]));
  const { steps, current } = start.plan;
  putStep(turn, LATE_STEP, lateStep(steps));
  for (const [index, { remove, deliver, ...step }] of steps.entries()) {
    putStep(turn, index + 1, stepState(step));
    for (const id of remove) add(turn, factsOf(facts, id), { change: 'remove', step: index + 1 });
    for (const id of deliver) add(turn, factsOf(facts, id), { change: 'deliver', step: index + 1 });
  }
  for (const id of current) add(turn, factsOf(facts, id), { change: 'deliver' });
  return turn.state;
}

export function stepState(plan: StepState['plan']): StepState {
  return {
    plan,
    fate: 'ahead',
    members: 0,
    removals: emptyMap(),
    deliveries: emptyMap(),
    broken: emptyMap(),
    parked: emptyMap(),
    underWay: 0,
    health: { unhealthy: 0, healthySince: 0 },
  };
}

/** A member without a step has nothing to change. */
export function newMember(facts: MemberFacts, { change, step }: Pick<Member, 'change' | 'step'>, now: number): Member {
  const { id, isOnline, health, healthRevision, hasContent } = facts;
  const known = { id, isOnline, health, healthRevision, hasContent, change, since: now, hasNew: false };
  if (step === undefined) return { ...known, status: 'Done' };
  return { ...known, step, status: isOnline ? 'Pending' : 'Parked' };
}

function add(turn: Turn, facts: MemberFacts, role: Pick<Member, 'change' | 'step'>): void {
  addMember(turn, newMember(facts, role, turn.now));
}

function factsOf(facts: ReadonlyMap<TargetId, MemberFacts>, id: TargetId): MemberFacts {
  const found = facts.get(id);
  if (found === undefined) throw new RangeError(`no facts for target ${id}, which is in the plan`);
  return found;
}

/** Latecomers may belong to any step, so the strictest concurrency of the plan applies to them. */
function lateStep(steps: readonly PlanStep[]): StepState {
  const pace = steps.reduce((strictest, { maxConcurrency = Infinity, deliver, remove }) => {
    return Math.min(strictest, atLeastOne(maxConcurrency, deliver.length + remove.length));
  }, Infinity);
  const step = { name: 'late', before: [], after: [], failurePolicy: 'pause' } as const;
  return stepState(pace === Infinity ? step : { ...step, maxConcurrency: pace });
}

function emptyRollout({
  rollout,
  revision,
  requestedBy,
  requesters = [requestedBy],
  plan,
  now,
}: RolloutStart): RolloutState {
  return {
    rollout,
    revision,
    requestedBy,
    requesters,
    phase: { kind: 'Planned', since: now },
    isStarted: false,
    now,
    budget: plan.budget,
    members: emptyMap(),
    numbered: 0,
    numbers: emptyMap(),
    steps: emptyMap(),
    doors: plan.steps.flatMap(({ joins }, index) => (joins === undefined ? [] : { step: index + 1, joins })),
    cursor: { step: 1, at: 'before', gate: 0 },
    gatesOpened: 0,
    cleared: {},
    placed: 0,
    inChange: 0,
    unavailable: emptyMap(),
    underWay: emptyMap(),
    owed: emptyMap(),
    health: { unhealthy: 0, healthySince: now },
    failures: { era: 0, delivery: 0, generate: 0 },
    deadlines: { progress: { next: 0, entries: emptyMap() }, offline: { next: 0, entries: emptyMap() } },
  };
}
