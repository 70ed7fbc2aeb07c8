import type { TargetId } from '#protocol/targets';
import { limitsOf } from '../../budget/budget.ts';
import type { GateRegistry } from '../gates/gate.ts';
import { verdictOf } from './gate-keeping.ts';
import { marksOf } from './member.ts';
import { entriesOf, firstOf, keysOf, type NumberSet, valueAt } from './number-map.ts';
import type { DeadlineQueue, RolloutState } from './rollout-state.ts';

export const WAIT_KINDS = ['start', 'resume', 'gate', 'targets', 'offline', 'budget', 'conflict'] as const;
export type WaitKind = (typeof WAIT_KINDS)[number];

/** Something that a rollout waits for. The same situation always has the same texts. */
export interface Wait {
  readonly kind: WaitKind;
  readonly since: number;
  readonly message: string;
  /** The event that would let the rollout continue. */
  readonly unblock: string;
  /** When the rollout stops waiting for it, whatever happens. */
  readonly until?: number;
  readonly gate?: string;
  /** How many targets it is about; `targets` lists the first of them. */
  readonly count?: number;
  readonly targets?: readonly TargetId[];
}

export type ExplainWait = (state: RolloutState, now: number) => readonly Wait[];

const NAMED = 10;

/** Lists what a rollout waits for; never empty unless the rollout is finished. Waits that block everything come first. */
export function createExplainWait(gates: GateRegistry): ExplainWait {
  return (state, now) => {
    if (state.phase.kind === 'Finished') return [];
    const here = { ...state, now: Math.max(now, state.now) };
    return [
      ...stillnessOf(here),
      ...gateWait(here, gates),
      ...budgetWait(here),
      ...offlineWaits(here),
      ...targetWaits(here),
    ];
  };
}

function stillnessOf(state: RolloutState): Wait[] {
  const { phase } = state;
  const { since } = phase;
  if (phase.kind === 'Planned') {
    return [{ kind: 'start', since, message: 'has not been started', unblock: 'it starts by itself' }];
  }
  if (phase.kind !== 'Paused') return [];
  const wait = { kind: 'resume', since, message: phase.message } as const;
  if (phase.reason !== 'FailuresExceeded') return [{ ...wait, unblock: 'resume or abort it' }];
  const unblock =
    'retry the failed targets, roll back, or resume: it continues without them, but health gates wait for them';
  return [{ ...wait, unblock, ...failedOf(state) }];
}

/** The targets that a resume would leave behind. */
function failedOf(state: RolloutState): Pick<Wait, 'count' | 'targets'> {
  const numbers = [...keysOf(state.owed)].filter((number) => valueAt(state.members, number)?.status === 'Failed');
  return { count: numbers.length, targets: idsOf(state, numbers.values()) };
}

function gateWait(state: RolloutState, gates: GateRegistry): Wait[] {
  if (state.gate === undefined || state.phase.kind === 'Paused') return [];
  const verdict = verdictOf(state, valueAt(state.steps, state.cursor.step), gates);
  if (verdict === undefined) return [];
  const { id: gate, openedAt: since } = state.gate;
  // By the clock alone the gate may be over, while the machine has not received the time yet.
  if (verdict.kind !== 'wait')
    return [{ kind: 'gate', gate, since, message: 'is over', unblock: 'it continues by itself' }];
  const { kind: _, blames, ...rest } = verdict;
  return [{ kind: 'gate', gate, since, ...rest, ...(blames === undefined ? {} : unhealthyOf(state)) }];
}

/** The unhealthy targets a health gate looks at: before a stage all delivered so far, after it those of the stage. */
function unhealthyOf(state: RolloutState): Pick<Wait, 'count' | 'targets'> {
  const { step, at } = state.cursor;
  const looked = new Set([...keysOf(state.unavailable), ...keysOf(state.owed)]);
  const numbers = [...looked].filter((number) => {
    const member = valueAt(state.members, number);
    return member !== undefined && marksOf(member).isUnhealthy && (at === 'before' || member.step === step);
  });
  return { count: numbers.length, targets: idsOf(state, numbers.values()) };
}

function budgetWait(state: RolloutState): Wait[] {
  if (state.blocked === undefined) return [];
  const { kind, since } = state.blocked;
  const { unavailable } = limitsOf(state.budget, state.placed);
  const message = `at most ${unavailable} of ${state.placed} targets may be unavailable`;
  if (kind === 'throttled') {
    return [{ kind: 'budget', since, message, unblock: 'targets in change become available' }];
  }
  const unblock =
    unavailable === 0
      ? 'a larger maxUnavailable or a smaller minAvailable, and a replan'
      : 'targets become available again, or a larger budget and a replan';
  return [{ kind: 'conflict', since, message, unblock, ...named(state, state.unavailable) }];
}

function offlineWaits(state: RolloutState): Wait[] {
  const head = firstOf(state.deadlines.offline.entries)?.[1];
  if (head === undefined) return [];
  const since = head.at - state.budget.offlineDeadlineMs;
  const message = 'targets are offline';
  const unblock = 'they come back, or leave the placement, or their deadline passes';
  return [{ kind: 'offline', since, until: head.at, message, unblock, ...queued(state, state.deadlines.offline) }];
}

/** Content that is to come and content that is to go are two waits, each with its own targets. */
const TARGET_WAITS = [
  {
    isLeaving: false,
    message: 'targets are in change',
    unblock: 'they are available with the new content, or their deadline passes',
  },
  {
    isLeaving: true,
    message: 'content is being removed from targets',
    unblock: 'their agents report it removed, or their deadline passes',
  },
] as const;

function targetWaits(state: RolloutState): Wait[] {
  const queues = Map.groupBy(
    entriesOf(state.deadlines.progress.entries),
    ([, { member }]) => valueAt(state.members, member)?.status === 'Removing',
  );
  return TARGET_WAITS.flatMap(({ isLeaving, message, unblock }): Wait[] => {
    const queue = queues.get(isLeaving) ?? [];
    const [head] = queue;
    if (head === undefined) return [];
    const { at: until } = head[1];
    const since = until - state.budget.progressDeadlineMs;
    const members = queue.values().map(([, { member }]) => member);
    const about = { count: queue.length, targets: idsOf(state, members) };
    return [{ kind: 'targets', since, until, message, unblock, ...about }];
  });
}

function queued(state: RolloutState, { entries }: DeadlineQueue): Pick<Wait, 'count' | 'targets'> {
  const numbers = entriesOf(entries).map(([, { member }]) => member);
  return { count: entries.size, targets: idsOf(state, numbers) };
}

function named(state: RolloutState, set: NumberSet): Pick<Wait, 'count' | 'targets'> {
  return { count: set.size, targets: idsOf(state, keysOf(set)) };
}

/** The first few, in rollout order. */
function idsOf({ members }: RolloutState, numbers: IteratorObject<number>): TargetId[] {
  return numbers
    .take(NAMED)
    .map((number) => valueAt(members, number))
    .filter((member) => member !== undefined)
    .map(({ id }) => id)
    .toArray();
}
