import type { TargetId } from '#protocol/targets';
import type { Deployment } from '../../domain/deployment/deployment.ts';
import { DeploymentError } from '../../domain/deployment/deployment-error.ts';
import type { Revision } from '../../domain/deployment/revision.ts';
import { type RecordedTurn, type TimelineEntry, timelineOf } from '../../domain/deployment/status/timeline.ts';
import type { Decide } from '../../domain/rollout/machine/decide.ts';
import type { RolloutStart } from '../../domain/rollout/machine/open-rollout.ts';
import type { RolloutOpening, UnitOfWork } from '../ports.ts';
import { getRevision } from './read-revision.ts';
import { targetNames } from './target-names.ts';

export interface ReadTimeline {
  readonly deployment: Deployment;
  readonly revision: number;
  /** Name or uid of the target to show. */
  readonly target: string | undefined;
}

/** The recorded history of a rollout. */
export interface RolloutRecord {
  readonly revision: Revision;
  readonly start: RolloutStart;
  readonly held: readonly TargetId[];
  readonly waiting: readonly TargetId[];
  readonly turns: readonly RecordedTurn[];
  readonly names: ReadonlyMap<TargetId, string>;
  readonly only: TargetId | undefined;
}

export async function readRecord(
  unit: UnitOfWork,
  { deployment, revision: number, target }: ReadTimeline,
  signal: AbortSignal,
): Promise<RolloutRecord> {
  const revision = await getRevision(unit, deployment, number, signal);
  const key = { deployment: deployment.uid, revision: number };
  const opening = await unit.rollouts.opening(key, signal);
  if (opening === undefined) {
    throw new DeploymentError('REVISION_NOT_FOUND', `The history of revision ${number} is no longer stored.`);
  }
  const turns = await unit.rollouts.turnsAfter(key, 0, signal);
  const ids = idsIn(opening, turns);
  const names = await targetNames(unit, { deployment: deployment.uid, ids, openings: [opening] }, signal);
  const only = target === undefined ? undefined : idOf(target, names);
  const { start, held = [], waiting = [] } = opening;
  return { revision, start, held, waiting, turns, names, only };
}

/** One turn at a time, so that a caller can yield to other work during a long history. */
export function* storyOf(record: RolloutRecord, decide: Decide): Generator<readonly TimelineEntry[]> {
  const { revision, start, turns, only } = record;
  const planned = { kind: 'planned', message: `it was planned: ${revision.trigger}`, targets: [] } as const;
  const entries = [planned, ...leftAsTheyAre(record)];
  yield entries.map((entry, place) => ({ turn: 0, place, time: start.now, ...entry }));
  yield* timelineOf({ start, turns, decide, ...(only === undefined ? {} : { only }) });
}

function leftAsTheyAre({ held, waiting, only }: RolloutRecord): Pick<TimelineEntry, 'kind' | 'message' | 'targets'>[] {
  const concerned = (ids: readonly TargetId[]) => ids.filter((id) => only === undefined || id === only);
  const entries = [
    { kind: 'held', message: 'the removal is held', targets: concerned(held) },
    { kind: 'waiting', message: 'there is no room while removals are held', targets: concerned(waiting) },
  ] as const;
  return entries.filter(({ targets }) => targets.length > 0);
}

function idsIn(
  { start: { plan }, held = [], waiting = [] }: RolloutOpening,
  turns: readonly RecordedTurn[],
): ReadonlySet<TargetId> {
  const planned = [...plan.current, ...plan.steps.flatMap(({ deliver, remove }) => [...deliver, ...remove])];
  const joined = turns.flatMap(({ rolloutEvents }) =>
    rolloutEvents.flatMap((event) => (event.kind === 'membershipChanged' ? event.joined.map(({ id }) => id) : [])),
  );
  return new Set([...planned, ...joined, ...held, ...waiting]);
}

function idOf(target: string, names: ReadonlyMap<TargetId, string>): TargetId {
  for (const [id, name] of names) if (id === target || name === target) return id;
  throw new DeploymentError('TARGET_NOT_FOUND', `The rollout did not involve a target ${target}.`);
}
