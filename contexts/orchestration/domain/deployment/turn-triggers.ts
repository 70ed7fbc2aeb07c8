import { assertNever } from '#kit/std';
import type { TargetId } from '#protocol/targets';
import type { RecordedTrigger, Trigger } from './trigger.ts';

/** What triggers mean for a rollout that is under way. */
export interface TurnTriggers {
  /** A rollout of another revision is wanted, and this one gives way to it, or comes first. */
  readonly isSuperseded: boolean;
  /** It gives way whatever it was told about that: a rollback that has to be quick, or the end of the deployment. */
  readonly isUrgent: boolean;
  readonly isAborted: boolean;
  /** Who did. */
  readonly abortedBy: string | undefined;
  readonly replans: boolean;
  /** Whom to try again; several, or one for all that failed. */
  readonly retries: readonly (readonly TargetId[] | undefined)[];
  /** These get it once more, in their step. */
  readonly again: ReadonlySet<TargetId>;
  /** These are taken into account by this turn alone. All others stay for the next plan. */
  readonly done: readonly string[];
  /** These were looked at for who is placed; they can go unless somebody leaves by them. */
  readonly placed: readonly string[];
}

type Fate = 'supersedes' | 'commands' | 'places' | 'repeats' | 'stays';

/**
 * DECISION: what concerns single targets is absorbed: they get it once more, in their step. To begin anew with all gates
 * and approvals since one target was rebuilt or changed would keep a large fleet from ever coming to an end.
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
      // Of the rollout alone it governs the next one.
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
    // An agent takes an order that it has carried out for done: only a later revision makes it look again.
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
