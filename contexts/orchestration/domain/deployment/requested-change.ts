import type { TargetId } from '#protocol/targets';
import type { RecordedCauses, TargetCause } from '../placement/removal-cause.ts';
import type { Trigger } from './trigger.ts';

/** The combined request of any number of triggers, for one plan. */
export interface RequestedChange {
  readonly causes: RecordedCauses;
  /** The placement is resolved again; otherwise the current targets stay and none join. */
  readonly resolves: boolean;
  /** The content of all targets is compared with the desired content; otherwise only that of the targets in `named`. */
  readonly isForAll: boolean;
  /** Targets whose content is compared. */
  readonly named: ReadonlySet<TargetId>;
  /** Targets that get the content once more, whatever they are recorded to have. */
  readonly again: ReadonlySet<TargetId>;
  /** All targets that failed or are owed content are compared as well. */
  readonly retriesAll: boolean;
  /** Targets whose removal was confirmed; `all` for every held removal. */
  readonly confirmed: ReadonlySet<TargetId> | 'all';
  readonly rollback: Extract<Trigger, { kind: 'rollback' }> | undefined;
  /** The highest revision that an agent has seen and this platform did not issue. */
  readonly ahead: number;
  readonly isAbandoned: boolean;
  readonly requestedBy: string;
  /** All principals who asked, not only the first. */
  readonly askers: readonly string[];
  /** The cause of the rollout, in words for people. */
  readonly text: string;
}

/** The requester when no user asked: a target came, a score changed. */
const PLATFORM = 'fleetshift';

export function requestedChange(triggers: readonly Trigger[]): RequestedChange {
  const causes = new Map<TargetId, readonly TargetCause[]>();
  const named = new Set<TargetId>();
  const again = new Set<TargetId>();
  let confirmed: Set<TargetId> | 'all' = new Set<TargetId>();
  for (const trigger of triggers) {
    if (trigger.kind === 'target')
      causes.set(trigger.target, [...(causes.get(trigger.target) ?? []), ...trigger.causes]);
    if (trigger.kind === 'confirmRemoval') confirmed = confirmedWith(confirmed, trigger.targets);
    if (trigger.kind === 'drift') again.add(trigger.target);
    for (const target of namedBy(trigger)) named.add(target);
  }
  const askers = [...new Set(triggers.flatMap((trigger) => ('by' in trigger ? (trigger.by ?? []) : [])))];
  return {
    causes: { specPatch: triggers.some(touchesPlacement), targets: causes },
    resolves: triggers.some(concernsPlacement),
    isForAll: triggers.some(concernsAll),
    named,
    again,
    retriesAll: triggers.some((each) => (each.kind === 'owed' || each.kind === 'retry') && each.targets === undefined),
    confirmed,
    rollback: rollbackOf(triggers),
    ahead: Math.max(0, ...triggers.map((trigger) => (trigger.kind === 'ahead' ? trigger.revision : 0))),
    isAbandoned: triggers.some(({ kind }) => kind === 'abandon'),
    requestedBy: askers[0] ?? PLATFORM,
    askers,
    text: textOf(triggers),
  };
}

/** A later change of the content overrides an earlier rollback. */
function rollbackOf(triggers: readonly Trigger[]): RequestedChange['rollback'] {
  const last = triggers.findLast((trigger) => trigger.kind === 'rollback' || changesContent(trigger));
  return last?.kind === 'rollback' ? last : undefined;
}

export function changesContent(trigger: Trigger): boolean {
  return trigger.kind === 'spec' && trigger.axes.includes('manifest');
}

/** A manifest change counts as well: which targets accept the manifest is part of placement. */
function touchesPlacement(trigger: Trigger): boolean {
  return trigger.kind === 'spec' && trigger.axes.some((axis) => axis !== 'rollout');
}

const OF_PLACEMENT: readonly Trigger['kind'][] = [
  'target',
  'scores',
  'confirmRemoval',
  'rollback',
  'delete',
  'abandon',
];

function concernsPlacement(trigger: Trigger): boolean {
  return touchesPlacement(trigger) || OF_PLACEMENT.includes(trigger.kind);
}

const FOR_ALL: readonly Trigger['kind'][] = ['rollback', 'delete', 'abandon'];

function concernsAll(trigger: Trigger): boolean {
  if (trigger.kind === 'regenerate') return trigger.targets === undefined;
  return changesContent(trigger) || FOR_ALL.includes(trigger.kind);
}

function namedBy(trigger: Trigger): readonly TargetId[] {
  const { kind } = trigger;
  if (kind === 'drift' || kind === 'ahead' || kind === 'rebuilt') return [trigger.target];
  return kind === 'regenerate' || kind === 'owed' || kind === 'retry' ? (trigger.targets ?? []) : [];
}

function confirmedWith(so: Set<TargetId> | 'all', targets: readonly TargetId[] | undefined): Set<TargetId> | 'all' {
  return so === 'all' || targets === undefined ? 'all' : new Set([...so, ...targets]);
}

/** The same kinds of trigger give the same text, however many of each there are. */
function textOf(triggers: readonly Trigger[]): string {
  return [...new Set(triggers.map(wordsFor))].sort((a, b) => (a < b ? -1 : 1)).join('; ');
}

/** Of the kinds whose text is always the same. */
const WORDS: Readonly<Record<Exclude<Trigger['kind'], 'spec' | 'regenerate' | 'rollback' | 'ahead'>, string>> = {
  target: 'targets came, left or changed',
  scores: 'scores changed',
  drift: 'targets differ from what was delivered',
  owed: 'targets that missed a delivery are back',
  retry: 'failed targets are retried',
  confirmRemoval: 'removals were confirmed',
  rebuilt: 'targets were rebuilt',
  delete: 'the deployment is deleted',
  abandon: 'the deployment is abandoned',
  abort: 'the rollout was aborted',
  replan: 'the rollout was replanned',
};

function wordsFor(trigger: Trigger): string {
  if (trigger.kind === 'regenerate') return trigger.why;
  if (trigger.kind === 'ahead') return `an agent has seen revision ${trigger.revision}, which was not issued here`;
  if (trigger.kind === 'rollback') {
    return `rollback to revision ${trigger.to}${trigger.reason === undefined ? '' : `: ${trigger.reason}`}`;
  }
  if (trigger.kind !== 'spec') return WORDS[trigger.kind];
  if (trigger.isNew === true) return 'it was created';
  return `the spec was changed: ${[...trigger.axes].sort((a, b) => (a < b ? -1 : 1)).join(', ')}`;
}
