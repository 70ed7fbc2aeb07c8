import type { PreviewResource } from '#protocol/api';
import type { TargetId } from '#protocol/targets';
import { PREVIEW_KINDS, type PreviewedResolution, type PreviewKind } from '../../application/previews/preview.ts';
import type { Preview, ShownTarget } from '../../application/previews/preview-deployment.ts';
import type { PlanStep } from '../../domain/rollout/plan.ts';

type Names = ReadonlyMap<TargetId, string>;

/** Most entries listed; the counts cover all. */
const LISTED = 1_000;

/** A preview as the API shows it, secrets masked. */
export function toPreviewResource(preview: Preview): PreviewResource {
  const { deployment, revision, spec, resolution, plan, targets, shown, digest, names } = preview;
  const counts = Object.fromEntries(
    PREVIEW_KINDS.map((kind) => [kind, targets.filter((target) => target.kind === kind).length]),
  ) as Record<PreviewKind, number>;
  return {
    deployment: deployment.name,
    revision,
    spec: [...spec],
    resolution: resolutionResource(resolution, names),
    ...(plan === undefined
      ? {}
      : { plan: { steps: plan.steps.map((step) => stepResource(step, names)), current: plan.current.length } }),
    counts,
    targets: shown.map(targetResource),
    digest,
  };
}

function resolutionResource(resolution: PreviewedResolution, names: Names): PreviewResource['resolution'] {
  const { kind, why, added, removed, held, waiting = [], excluded, retained, missing } = resolution;
  return {
    kind,
    ...(why === undefined ? {} : { why }),
    added: namesOf(added, names),
    removed: removed.slice(0, LISTED).map(({ id, cause }) => ({ target: nameOf(id, names), cause })),
    held: reasons(held, names),
    waiting: reasons(waiting, names),
    excluded: reasons(excluded, names),
    retained: reasons(retained, names),
    missing: missing.slice(0, LISTED),
  };
}

function reasons(
  list: readonly { readonly id: TargetId; readonly why: string; readonly message: string }[],
  names: Names,
) {
  return list.slice(0, LISTED).map(({ id, why, message }) => ({ target: nameOf(id, names), why, message }));
}

function stepResource({ name, deliver, remove, before, after, maxConcurrency, failurePolicy }: PlanStep, names: Names) {
  return {
    name,
    deliver: namesOf(deliver, names),
    remove: namesOf(remove, names),
    before: before.map(({ type }) => type),
    after: after.map(({ type }) => type),
    ...(maxConcurrency === undefined ? {} : { maxConcurrency }),
    failurePolicy,
  };
}

function targetResource({ id, name, kind, documents, wanted, agent }: ShownTarget): PreviewResource['targets'][number] {
  return {
    target: name,
    uid: id,
    kind,
    documents: documents.map((each) => ({ ...each, fields: [...each.fields] })),
    ...(wanted?.kind === 'failed' ? { message: wanted.message } : {}),
    ...(agent === undefined ? {} : { agent: { ...agent, changes: [...agent.changes] } }),
  };
}

function namesOf(ids: readonly TargetId[], names: Names): string[] {
  return ids.slice(0, LISTED).map((id) => nameOf(id, names));
}

function nameOf(id: TargetId, names: Names): string {
  return names.get(id) ?? id;
}
