import type { TargetId } from '#protocol/targets';
import type { PlacementView } from '../../target-view.ts';
import type { Member, MemberFacts } from '../machine/member.ts';
import { entriesOf } from '../machine/number-map.ts';
import { openRollout } from '../machine/open-rollout.ts';
import type { RolloutState } from '../machine/rollout-state.ts';
import type { Plan, PlanInput } from '../plan.ts';
import type { RolloutSpec } from '../rollout-strategy.ts';
import { BUILT_IN_ROLLOUTS } from '../strategies/built-in-rollouts.ts';

/** A target of a test's fleet. By default it is online, healthy, has the old content and is to be changed. */
export interface FleetTarget extends Partial<Omit<MemberFacts, 'id'>> {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly isRemoved?: boolean;
  readonly isUpToDate?: boolean;
}

export const REVISION = 7;

/** The name is also the id, which reads better in a test. */
export function idOf(name: string): TargetId {
  return name as TargetId;
}

export function planOf(spec: RolloutSpec, fleet: readonly FleetTarget[]): Plan {
  const strategy = BUILT_IN_ROLLOUTS.get(spec.type);
  if (strategy === undefined) throw new RangeError(`a rollout of type ${spec.type}`);
  return strategy.plan(spec, inputOf(fleet));
}

function inputOf(fleet: readonly FleetTarget[]): PlanInput {
  const idsOf = (is: (target: FleetTarget) => boolean): TargetId[] => fleet.filter(is).map(({ name }) => idOf(name));
  return {
    delta: {
      added: idsOf(({ isRemoved, hasContent = true }) => isRemoved !== true && !hasContent),
      removed: idsOf(({ isRemoved }) => isRemoved === true),
      unchanged: idsOf(({ isRemoved, hasContent = true }) => isRemoved !== true && hasContent),
    },
    views: new Map(fleet.map((target) => [idOf(target.name), viewOf(target)])),
    upToDate: new Set(idsOf(({ isUpToDate }) => isUpToDate === true)),
  };
}

export function factsOf({ name, isOnline = true, hasContent = true, ...target }: FleetTarget): MemberFacts {
  const { health = hasContent ? 'Available' : 'Unknown', healthRevision = hasContent ? REVISION - 1 : 0 } = target;
  return { id: idOf(name), isOnline, hasContent, health, healthRevision };
}

export function rolloutOf(spec: RolloutSpec, fleet: readonly FleetTarget[]): RolloutState {
  const facts = fleet.map(factsOf);
  return openRollout({
    rollout: 'r',
    revision: REVISION,
    requestedBy: 'ann',
    plan: planOf(spec, fleet),
    facts,
    now: 0,
  });
}

export function membersOf({ members }: RolloutState): readonly Member[] {
  return [...entriesOf(members)].map(([, member]) => member);
}

export function memberOf(state: RolloutState, name: string): Member {
  const member = membersOf(state).find(({ id }) => id === name);
  if (member === undefined) throw new RangeError(`the member ${name}`);
  return member;
}

function viewOf({ name, labels = {} }: FleetTarget): PlacementView {
  return { id: idOf(name), name, type: 'kubernetes', labels, manifestTypes: [], lifecycle: 'Active' };
}
