import { FleetError, yieldIfLong } from '#kit/std';
import type { PreviewAnswer } from '#protocol/delivery';
import type { TargetId } from '#protocol/targets';
import type { Deployment } from '../../domain/deployment/deployment.ts';
import { DeploymentError } from '../../domain/deployment/deployment-error.ts';
import { requestedChange } from '../../domain/deployment/requested-change.ts';
import { type DocumentChange, diffPayloads, type FieldChange } from '../../domain/manifest/payload-diff.ts';
import type { Fingerprint } from '../../domain/manifest/split-secrets.ts';
import { type DesiredContent, DesiredContents } from '../pipeline/generation/desired-contents.ts';
import type { GenerationSlots } from '../pipeline/generation/generation-slots.ts';
import type { Strategies } from '../pipeline/pipeline-deps.ts';
import { loadPlanInputs, type PlanInputs } from '../pipeline/plan-inputs.ts';
import type { TargetRouter, UnitOfWork, Units } from '../ports.ts';
import { diffDeploymentSpecs } from '../revisions/diff-revisions.ts';
import { askAgents } from './ask-agents.ts';
import { imaginedUnit } from './imagined-unit.ts';
import { type PreviewedTarget, type PreviewOutcome, type PreviewScene, previewOf } from './preview.ts';

export interface PreviewDeps {
  readonly units: Pick<Units, 'read'>;
  readonly strategies: Strategies;
  readonly fingerprint: Fingerprint;
  readonly slots: GenerationSlots;
  readonly router: Pick<TargetRouter, 'preview'>;
}

export interface PreviewCommand {
  /** Runs the command to be previewed, in a unit of work that is never committed. */
  readonly ask: (unit: UnitOfWork) => Promise<Asked>;
  /** Name or uid of the one target to show. */
  readonly target: string | undefined;
  /** Whether to ask the agents, too. */
  readonly isDeep: boolean;
  readonly now: number;
}

export interface Asked {
  readonly deployment: Deployment;
  /** The current deployment, if it exists. */
  readonly before: Deployment | undefined;
}

export interface Preview extends PreviewOutcome {
  readonly deployment: Deployment;
  /** The revision that it would get. */
  readonly revision: number;
  readonly spec: readonly FieldChange[];
  /** Some of the targets, ordered by name: the one requested, or the first few. */
  readonly shown: readonly ShownTarget[];
  readonly names: ReadonlyMap<TargetId, string>;
}

export interface ShownTarget extends PreviewedTarget {
  readonly documents: readonly DocumentChange[];
  /** The changes that its agent predicts. */
  readonly agent?: PreviewAnswer | undefined;
}

/** Further targets can be requested one by one. */
const SHOWN = 50;

/** Shows what would change on which target. Nothing is written. */
export async function previewDeployment(
  deps: PreviewDeps,
  command: PreviewCommand,
  signal: AbortSignal,
): Promise<Preview> {
  const { content, ...seen } = await deps.units.read((unit) => look(imaginedUnit(unit), deps, command, signal), signal);
  const outcome = await orTrouble(async () => {
    const wanted = content === undefined ? new Map() : await wantedBy(content, seen.around, deps, signal);
    return previewOf({ ...seen, wanted });
  }, signal);
  const { target } = command;
  const chosen = outcome.targets.filter(({ id, name }) => target === undefined || target === id || target === name);
  const shown = await withDocuments(deps, chosen.slice(0, SHOWN), signal);
  const { deployment, revision } = seen;
  const answers = command.isDeep
    ? await askAgents(deps, { deployment, revision, shown, around: seen.around }, signal)
    : undefined;
  return {
    ...outcome,
    deployment,
    revision,
    spec: seen.spec,
    shown: answers === undefined ? shown : shown.map((each) => ({ ...each, agent: answers.get(each.id) })),
    names: namesOf(seen.around),
  };
}

type Seen = Omit<PreviewScene, 'wanted'> & {
  readonly revision: number;
  readonly spec: readonly FieldChange[];
  /** `undefined` if the deployment is being deleted. */
  readonly content: DesiredContents | undefined;
};

async function look(
  unit: UnitOfWork,
  { strategies, fingerprint, slots }: PreviewDeps,
  { ask, now }: PreviewCommand,
  signal: AbortSignal,
): Promise<Seen> {
  const { deployment, before } = await ask(unit);
  const { uid, spec, deletion } = deployment;
  const requested = requestedChange((await unit.triggers.of(uid, signal)).map(({ trigger }) => trigger));
  const revision = Math.max(deployment.revision, requested.ahead) + 1;
  const scene = { deployment, revision, spec, rollbackTo: undefined, speculative: true };
  const generation = { manifests: strategies.manifests, fingerprint, slots };
  const content =
    deletion === undefined
      ? await orTrouble(() => DesiredContents.open(unit, scene, generation, signal), signal)
      : undefined;
  const manifest = content?.manifest ?? { type: spec.manifest.type, fits: undefined };
  const around = await loadPlanInputs(
    unit,
    { deployment, spec, manifest, placements: strategies.placements, now },
    signal,
  );
  const placed = around.resolution.kind === 'sure' ? around.resolution.targets : [];
  const targets = [...new Set([...placed, ...around.rows.map(({ target }) => target)])];
  const last = deployment.revision === 0 ? undefined : await unit.revisions.find(uid, deployment.revision, signal);
  return {
    deployment,
    revision,
    spec: diffDeploymentSpecs(before?.spec, spec),
    requested,
    content,
    around,
    isUnfinished: last?.outcome !== 'Succeeded',
    given: await unit.contents.at({ deployment: uid, revision: deployment.revision }, signal),
    rollouts: strategies.rollouts,
    requiredGates: await unit.requiredGates.of({ workspacePath: deployment.workspace.path, targets }, signal),
    now,
  };
}

/** For all placed targets, so that the counts cover all of them; for many at once, since a strategy may take its time. */
async function wantedBy(
  content: DesiredContents,
  { resolution, rows, targets }: PlanInputs,
  { slots }: PreviewDeps,
  signal: AbortSignal,
): Promise<ReadonlyMap<TargetId, DesiredContent>> {
  const placed = resolution.kind === 'sure' ? resolution.targets : [];
  const members = new Set([...placed, ...rows.filter(({ isPlaced }) => isPlaced).map(({ target }) => target)]);
  const wanted = new Map<TargetId, DesiredContent>();
  const queue = members.values();
  const work = async (): Promise<void> => {
    for (const id of queue) {
      const target = targets.get(id);
      if (target !== undefined) wanted.set(id, (await content.generate(target, signal)).desired);
      await yieldIfLong();
    }
  };
  await Promise.all(Array.from({ length: slots.widthOf(content.manifest) }, work));
  return wanted;
}

/** Many targets get the same change, so each distinct change is computed once. */
async function withDocuments(
  { units }: PreviewDeps,
  targets: readonly PreviewedTarget[],
  signal: AbortSignal,
): Promise<readonly ShownTarget[]> {
  const hashes = targets.flatMap(({ before }) => before ?? []);
  const old = await units.read(({ contents }) => contents.find(hashes, { withSecrets: false }, signal), signal);
  const done = new Map<string, readonly DocumentChange[]>();
  return targets.map((target) => {
    const { before = '', wanted } = target;
    if (wanted?.kind === 'failed') return { ...target, documents: [] };
    const key = `${before} ${wanted?.payload.hash ?? ''}`;
    const documents = done.get(key) ?? diffPayloads(old.get(before), wanted?.payload);
    done.set(key, documents);
    return { ...target, documents };
  });
}

/** A strategy may throw. A rollout would then wait and retry. */
async function orTrouble<T>(body: () => Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await body();
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof FleetError) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new DeploymentError(
      'PREVIEW_UNAVAILABLE',
      `The preview failed, and a rollout would not start either: ${why}`,
      {
        cause,
      },
    );
  }
}

function namesOf({ rows, targets }: PlanInputs): ReadonlyMap<TargetId, string> {
  return new Map([
    ...rows.map(({ target, name }) => [target, name] as const),
    ...[...targets.values()].map(({ id, name }) => [id, name] as const),
  ]);
}
