import { type Member, marksOf } from '../machine/member.ts';
import { entriesOf, keysOf, type NumberSet } from '../machine/number-map.ts';
import type { RolloutState } from '../machine/rollout-state.ts';

/** Differences between the maintained counts and queues and a recount over all members. */
export function auditState(state: RolloutState): string[] {
  const all = [...entriesOf(state.members)];
  const numbersOf = (is: (member: Member) => boolean): number[] =>
    all.filter(([, member]) => is(member)).map(([number]) => number);
  const counted = (is: (member: Member) => boolean): number => numbersOf(is).length;
  const wrong = [
    differs(
      'placed',
      state.placed,
      counted((member) => marksOf(member).isPlaced),
    ),
    differs(
      'in change',
      state.inChange,
      counted((member) => marksOf(member).isInChange),
    ),
    differs(
      'unavailable',
      listed(state.unavailable),
      numbersOf((member) => marksOf(member).isUnavailable),
    ),
    differs(
      'under way',
      listed(state.underWay),
      numbersOf((member) => marksOf(member).isUnderWay),
    ),
    differs(
      'owed',
      listed(state.owed),
      numbersOf((member) => marksOf(member).isOwed),
    ),
    differs(
      'unhealthy',
      state.health.unhealthy,
      counted((member) => marksOf(member).isUnhealthy),
    ),
    differs(
      'delivery failures',
      state.failures.delivery,
      counted((member) => isCounted(state, member, false)),
    ),
    differs(
      'generate failures',
      state.failures.generate,
      counted((member) => isCounted(state, member, true)),
    ),
    differs(
      'deadlines',
      deadlinesOf(state),
      numbersOf(({ deadline }) => deadline !== undefined),
    ),
  ];
  for (const [index, step] of entriesOf(state.steps)) {
    const here = (is: (member: Member) => boolean): number[] => numbersOf((it) => marksOf(it).step === index && is(it));
    const queued = (queue: string): number[] => here((member) => marksOf(member).queue === queue);
    wrong.push(
      differs(`members of ${index}`, step.members, here(() => true).length),
      differs(`removals of ${index}`, listed(step.removals), queued('removals')),
      differs(`deliveries of ${index}`, listed(step.deliveries), queued('deliveries')),
      differs(`parked of ${index}`, listed(step.parked), queued('parked')),
      differs(
        `broken of ${index}`,
        listed(step.broken),
        here((member) => marksOf(member).isBroken),
      ),
      differs(`under way of ${index}`, step.underWay, here((member) => marksOf(member).isUnderWay).length),
      differs(`unhealthy of ${index}`, step.health.unhealthy, here((member) => marksOf(member).isUnhealthy).length),
    );
  }
  return wrong.flat();
}

function isCounted({ failures }: RolloutState, { failure }: Member, isGenerate: boolean): boolean {
  return failure?.era === failures.era && (failure.reason === 'GenerateFailed') === isGenerate;
}

function deadlinesOf({ deadlines }: RolloutState): number[] {
  const queues = [deadlines.progress, deadlines.offline];
  return queues.flatMap(({ entries }) => [...entriesOf(entries)].map(([, { member }]) => member)).sort((a, b) => a - b);
}

function listed(set: NumberSet): number[] {
  return [...keysOf(set)];
}

function differs(what: string, kept: unknown, found: unknown): string[] {
  const [a, b] = [JSON.stringify(kept), JSON.stringify(found)];
  return a === b ? [] : [`${what}: ${a} is kept, ${b} is so`];
}
