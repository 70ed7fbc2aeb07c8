import type {
  RevisionDiffResource,
  RevisionResource,
  RevisionSummaryResource,
  TargetDiffResource,
  TimelineEntryResource,
} from '#protocol/api';
import type { TargetId } from '#protocol/targets';
import type { RevisionDiff, TargetDiff } from '../../application/revisions/diff-revisions.ts';
import type { PlanSummary } from '../../application/revisions/read-revision.ts';
import { contentHashOf, type Revision } from '../../domain/deployment/revision.ts';
import { maskSpec } from '../../domain/deployment/sealed-spec.ts';
import type { TimelineEntry } from '../../domain/deployment/status/timeline.ts';
import { timeOf } from './deployment-resource.ts';

export function toRevisionSummary(its: Revision): RevisionSummaryResource {
  const { revision, generation, trigger, requestedBy, rollbackTo, isPaced, createTime, endTime, outcome, message } =
    its;
  return {
    revision,
    generation,
    trigger,
    requestedBy,
    ...(rollbackTo === undefined ? {} : { rollbackTo }),
    paced: isPaced,
    contentHash: contentHashOf(its),
    createTime: timeOf(createTime),
    ...(endTime === undefined ? {} : { endTime: timeOf(endTime) }),
    ...(outcome === undefined ? {} : { outcome }),
    ...(message === undefined || message === '' ? {} : { message }),
  };
}

/** With its spec, secrets masked. */
export function toRevisionResource(revision: Revision, plan: PlanSummary | undefined): RevisionResource {
  return {
    ...toRevisionSummary(revision),
    // A spec that passed the schema when it was sent also fits it when it is shown.
    spec: maskSpec(revision.spec) as unknown as RevisionResource['spec'],
    ...(plan === undefined ? {} : { plan: { ...plan, steps: [...plan.steps] } }),
  };
}

export function toDiffResource(diff: RevisionDiff, nextPageToken: string | undefined): RevisionDiffResource {
  const { revision, against, spec, counts, targets } = diff;
  return {
    revision,
    ...(against === undefined ? {} : { against }),
    spec: [...spec],
    counts: { ...counts },
    targets: targets.map(toTargetDiff),
    ...(nextPageToken === undefined ? {} : { nextPageToken }),
  };
}

function toTargetDiff({ id, name, kind, documents }: TargetDiff): TargetDiffResource {
  return { target: name, uid: id, kind, documents: documents.map((each) => ({ ...each, fields: [...each.fields] })) };
}

/** Most targets named per entry; use `target` for single ones. */
const NAMED = 10;

export function toTimelineResource(
  { turn, place, time, kind, message, targets }: TimelineEntry,
  names: ReadonlyMap<TargetId, string>,
): TimelineEntryResource {
  const first = targets.slice(0, NAMED).map((id) => names.get(id) ?? id);
  return { turn, place, time: timeOf(time), kind, message, count: targets.length, targets: first };
}
