import { assertNever } from '#kit/std';
import type { Health } from '#protocol/delivery';
import type { TargetId } from '#protocol/targets';
import type { GateAnswer } from '../../rollout/gates/gate.ts';
import type { Action } from '../../rollout/machine/action.ts';
import type { Decide } from '../../rollout/machine/decide.ts';
import { openRollout, type RolloutStart } from '../../rollout/machine/open-rollout.ts';
import type { RolloutEvent } from '../../rollout/machine/rollout-event.ts';
import type { RolloutState } from '../../rollout/machine/rollout-state.ts';
import { type GeneralFact, progressOf } from './timeline-progress.ts';

/** The kinds of event of a target, and their default messages. */
const TARGET_KINDS = {
  sent: 'the content was sent',
  applied: 'the content was applied',
  unchanged: 'the content was there already',
  removing: 'removal was requested',
  removed: 'the content was removed',
  failed: 'the change failed',
  available: 'it became available',
  degraded: 'it became degraded',
  progressing: 'it is progressing',
  healthUnknown: 'its health is not known',
  online: 'the target came online',
  offline: 'the target went offline',
  held: 'the removal is held',
  waiting: 'there is no room while removals are held',
  joined: 'the target joined',
  left: 'the target left',
} as const;
export type TargetFactKind = keyof typeof TARGET_KINDS;

/** An event at one time, of the rollout as a whole or of some of its targets. */
export interface TimelineEntry {
  readonly turn: number;
  /** Its position among the entries of its turn. */
  readonly place: number;
  readonly time: number;
  readonly kind: TargetFactKind | GeneralFact['kind'];
  readonly message: string;
  /** The targets it is about; empty when it is about the rollout. */
  readonly targets: readonly TargetId[];
}

export interface RecordedTurn {
  readonly turn: number;
  readonly time: number;
  readonly rolloutEvents: readonly RolloutEvent[];
}

export interface TimelineScene {
  readonly start: RolloutStart;
  readonly turns: Iterable<RecordedTurn>;
  readonly decide: Decide;
  /** Only events of this target. */
  readonly only?: TargetId;
}

/**
 * The history of a rollout, turn by turn: what it received, and what it decided. It is replayed from the journal, so the
 * same journal always gives the same entries. Without `only`, the same event of several targets in one turn is one entry;
 * failures are listed one by one, since each has its own message.
 */
export function* timelineOf({ start, turns, decide, only }: TimelineScene): Generator<readonly TimelineEntry[]> {
  let state = openRollout(start);
  for (const { turn, time, rolloutEvents } of turns) {
    const before = state;
    const told: (TargetFact | GeneralFact)[] = [];
    const done: TargetFact[] = [];
    for (const event of rolloutEvents) {
      told.push(...factsOf(event, state));
      const decision = decide(state, event, time);
      done.push(...decision.actions.flatMap(factsOfAction));
      state = decision.state;
    }
    const entries =
      only === undefined
        ? [...told.filter(isGeneral), ...grouped(told), ...progressOf(before, state), ...grouped(done)]
        : [...told, ...done].filter((fact) => !isGeneral(fact) && fact.target === only).flatMap(alone);
    yield entries.map((entry, place) => ({ turn, place, time, targets: [], ...entry }));
  }
}

interface TargetFact {
  readonly kind: TargetFactKind;
  readonly target: TargetId;
  readonly message?: string;
}

type Told = Pick<TimelineEntry, 'kind' | 'message' | 'targets'>;

function isGeneral(fact: TargetFact | GeneralFact): fact is GeneralFact {
  return !('target' in fact);
}

function alone(fact: TargetFact | GeneralFact): readonly Told[] {
  if (isGeneral(fact)) return [];
  const { kind, target, message = TARGET_KINDS[kind] } = fact;
  return [{ kind, message, targets: [target] }];
}

/** One entry per kind, except for events with a message of their own. */
function grouped(facts: readonly (TargetFact | GeneralFact)[]): readonly Told[] {
  const groups = new Map<string, { kind: TargetFactKind; message: string; targets: TargetId[] }>();
  for (const fact of facts) {
    if (isGeneral(fact)) continue;
    const { kind, target, message } = fact;
    const key = message === undefined ? kind : `${kind} ${target} ${message}`;
    const group = groups.get(key) ?? { kind, message: message ?? TARGET_KINDS[kind], targets: [] };
    group.targets.push(target);
    groups.set(key, group);
  }
  return [...groups.values()];
}

/**
 * Facts received from outside: from agents, people, gates and other rollouts. The resulting decisions come from
 * `progressOf` and `factsOfAction`.
 */
function factsOf(event: RolloutEvent, { revision }: RolloutState): readonly (TargetFact | GeneralFact)[] {
  switch (event.kind) {
    case 'delivered':
      return [{ kind: event.changed ? 'applied' : 'unchanged', target: event.target }];
    case 'removed':
      return [{ kind: 'removed', target: event.target }];
    case 'deliveryFailed':
    case 'rejected':
    case 'generateFailed':
    case 'removeFailed':
    case 'fenced':
      return [{ kind: 'failed', target: event.target, message: `${FAILURES[event.kind]}: ${event.message}` }];
    case 'healthChanged':
      // Health reported for another revision is not part of this history.
      return event.revision === revision ? [healthFact(event)] : [];
    case 'connectionChanged':
      return [{ kind: event.isOnline ? 'online' : 'offline', target: event.target }];
    case 'membershipChanged':
      return [
        ...event.joined.map(({ id }) => ({ kind: 'joined', target: id }) as const),
        ...event.left.map((target) => ({ kind: 'left', target }) as const),
      ];
    case 'gateAnswered':
      return [{ kind: 'gateAnswered', message: answerText(event.answer) }];
    case 'retry':
      return [{ kind: 'retried', message: 'failed targets are retried' }];
    case 'replan':
      return [{ kind: 'replanned', message: 'the rest of the rollout was replanned' }];
    case 'superseded':
      return [{ kind: 'superseded', message: `revision ${event.by} is to replace this one` }];
    case 'started':
    case 'pause':
    case 'resume':
    case 'abort':
    case 'clock':
      return [];
    default:
      return assertNever(event, 'event');
  }
}

const FAILURES = {
  deliveryFailed: 'the delivery failed',
  rejected: 'the target rejected the delivery',
  generateFailed: 'the content could not be generated',
  removeFailed: 'the removal failed',
  fenced: 'its agent has seen a later revision',
} as const;

const EVENT_OF_HEALTH = {
  Available: 'available',
  Degraded: 'degraded',
  Unknown: 'healthUnknown',
  Progressing: 'progressing',
} as const satisfies Readonly<Record<Health, TargetFactKind>>;

function healthFact({ health, target, message }: Extract<RolloutEvent, { kind: 'healthChanged' }>): TargetFact {
  const kind = EVENT_OF_HEALTH[health];
  return { kind, target, ...(message !== undefined && { message: `${TARGET_KINDS[kind]}: ${message}` }) };
}

function answerText(answer: GateAnswer): string {
  switch (answer.kind) {
    case 'approved':
      return `${answer.by} approved it`;
    case 'rejected':
      return `${answer.by} rejected it: ${answer.message}`;
    case 'expired':
      return 'approval timed out';
    case 'deploymentHealth':
      return `the other deployment is ${answer.isHealthy ? 'healthy' : 'not healthy'}`;
    default:
      return assertNever(answer, 'answer');
  }
}

function factsOfAction(action: Action): readonly TargetFact[] {
  if (action.kind === 'generateAndDeliver') return [{ kind: 'sent', target: action.target }];
  return action.kind === 'remove' ? [{ kind: 'removing', target: action.target }] : [];
}
