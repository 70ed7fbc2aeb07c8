import { assertNever } from '#kit/std';
import type { TargetId } from '#protocol/targets';
import type { RecordedTrigger, Trigger } from './trigger.ts';

/** The effect of the recorded triggers on the rollout under way. */
export interface TurnTriggers {
  /** A rollout of another revision is wanted. This one gives way, or finishes first. */
  readonly isSuperseded: boolean;
  /** It gives way whatever its settings say: for an unpaced rollback, or because the deployment is deleted. */
  readonly isUrgent: boolean;
  readonly isAborted: boolean;
  /** The caller that aborted it. */
  readonly abortedBy: string | undefined;
  readonly replans: boolean;
  /** One entry per retry: the targets named, or `undefined` for all that failed. */
  readonly retries: readonly (readonly TargetId[] | undefined)[];
  /** Targets that get the content once more, in their step. */
  readonly again: ReadonlySet<TargetId>;
  /** Triggers that this turn settles. All others stay for the next plan. */
  readonly done: readonly string[];
  /** Triggers that were evaluated for membership. They are settled unless a target leaves because of them. */
  readonly placed: readonly string[];
}

type Fate = 'supersedes' | 'commands' | 'places' | 'repeats' | 'stays';

/**
 * DECISION: triggers of single targets are absorbed: the target gets the content once more, in its step. Restarting the
 * rollout with all its gates and approvals because one target was rebuilt or changed would keep a large fleet from ever
 * finishing.
 */
export function turnTriggers(recorded: readonly RecordedTrigger[]): TurnTriggers {
  const triggers = recorded.map(({ trigger }) => trigger);
  const is = (kind: Trigger['kind']): boolean => triggers.some((trigger) => trigger.kind === kind);
  const fated = (...fates: readonly Fate[]): readonly string[] =>
    recorded.filter(({ trigger }) => fates.includes(fateOf(trigger))).map(({ id }) => id);
  return {
    isSuperseded: triggers.some((trigger) => fateOf(trigger) === 'supersedes'),
    isUrgent: is('delete') || triggers.some((trigger) => trigger.kind === 'rollback' && !trigger.paced),
    isAborted: is('abort') || is('abandon'),
    abortedBy: triggers.find((trigger) => trigger.kind === 'abort')?.by,
    replans: is('replan'),
    retries: triggers.flatMap((trigger) => (trigger.kind === 'retry' ? [trigger.targets] : [])),
    again: new Set(triggers.filter((trigger) => fateOf(trigger) === 'repeats').flatMap(targetsOf)),
    done: fated('commands', 'repeats'),
    placed: fated('places'),
  };
}

function fateOf(trigger: Trigger): Fate {
  switch (trigger.kind) {
    case 'spec':
      // A change of the rollout strategy alone applies to the next rollout.
      return trigger.axes.some((axis) => axis !== 'rollout') ? 'supersedes' : 'stays';
    case 'regenerate':
      return trigger.targets === undefined ? 'supersedes' : 'repeats';
    case 'rollback':
    case 'ahead':
    case 'delete':
    case 'abandon':
      return 'supersedes';
    case 'target':
    case 'scores':
      return 'places';
    case 'rebuilt':
      return 'repeats';
    case 'abort':
    case 'replan':
    case 'retry':
      return 'commands';
    // An agent treats an order that it has carried out as done: only a later revision makes it look again.
    case 'drift':
    case 'owed':
    case 'confirmRemoval':
      return 'stays';
    default:
      return assertNever(trigger, 'trigger');
  }
}

function targetsOf(trigger: Trigger): readonly TargetId[] {
  if ('target' in trigger) return [trigger.target];
  return 'targets' in trigger ? (trigger.targets ?? []) : [];
}
