import type { TargetId } from '#protocol/targets';
import { type Hashes, isCompared } from '../../domain/deployment/decide-plan.ts';
import type { DeploymentId } from '../../domain/deployment/deployment.ts';
import { DeploymentError } from '../../domain/deployment/deployment-error.ts';
import { type RequestedChange, requestedChange } from '../../domain/deployment/requested-change.ts';
import type { RecordedTrigger } from '../../domain/deployment/trigger.ts';
import { invalidationOf } from '../../domain/deployment/trigger.ts';
import type { GenerateTarget } from '../../domain/manifest/generate-context.ts';
import type { Manifest } from '../../domain/manifest/manifest-strategy.ts';
import { FOR_ALL, type UnitOfWork } from '../ports.ts';
import { ANY_TARGET, DesiredContents, type Made } from './generation/desired-contents.ts';
import type { PipelineDeps } from './pipeline-deps.ts';
import { type DesiredRevision, desiredRevision, isUnfinished, loadPlanInputs } from './plan-inputs.ts';

/** Why no rollout can be planned. */
export interface Trouble {
  readonly reason: string;
  readonly message: string;
}

export type Prepared = PreparedFor &
  (
    | { readonly trouble: Trouble }
    | {
        readonly manifest: Pick<Manifest, 'type' | 'fits'>;
        readonly hashes: Hashes;
        /** Content that is the same for all targets, to be kept together with the plan. */
        readonly made?: Made;
      }
  );

export interface PlanRequest {
  readonly deployment: DeploymentId;
  readonly run: number;
}

interface PreparedFor {
  readonly asked: DesiredRevision;
  /** The last announcement that the output would differ, taken into account. */
  readonly invalidation: string;
}

/** Contents per unit of work: enough to share the cost of a commit, few enough to lose little in a crash. */
const PIECE = 200;
/** Less than the plan as a whole may take. Targets whose content is not known by then are compared in their step. */
const GENERATE_ALL_MS = 30_000;

/**
 * The desired content is generated before the unit of work that plans, because a strategy may take its time, and stored,
 * so that it is delivered from there. Targets whose content is not known, because they joined since then or because the
 * strategy failed for them, are not known to be up to date; they are compared when their step comes.
 */
export async function preparePlan(
  deps: PipelineDeps,
  request: PlanRequest,
  signal: AbortSignal,
): Promise<Prepared | undefined> {
  const { deployment } = request;
  const seen = await deps.units.read((unit) => look(unit, { deps, request }, signal), signal);
  if (seen === undefined || 'trouble' in seen) return seen;
  const { asked, invalidation, desired, compared } = seen;
  const manifest = desired?.manifest ?? { type: asked.spec.manifest.type, fits: undefined };
  const prepared = { asked, invalidation, manifest };
  if (desired === undefined) return { ...prepared, hashes: new Map() };
  if (desired.literal !== undefined) return { ...prepared, hashes: desired.literal.hash };
  if (desired.isSameForAll) return { ...prepared, ...(await generateOnce(desired, signal)) };
  return { ...prepared, hashes: await new PlannedContents(deps, deployment, desired).hashesOf(compared, signal) };
}

/** True for results that were computed for an older announcement. */
export function isInvalidated({ invalidation }: PreparedFor, triggers: readonly RecordedTrigger[]): boolean {
  return invalidationOf(triggers)(FOR_ALL) !== invalidation;
}

interface Seen extends PreparedFor {
  /** `undefined` if the deployment is being deleted. */
  readonly desired: DesiredContents | undefined;
  /** The targets whose content is compared. */
  readonly compared: readonly GenerateTarget[];
}

async function look(
  unit: UnitOfWork,
  { deps, request }: { readonly deps: PipelineDeps; readonly request: PlanRequest },
  signal: AbortSignal,
): Promise<Seen | Extract<Prepared, { trouble: Trouble }> | undefined> {
  const { strategies, fingerprint, slots } = deps;
  const { deployment: uid, run } = request;
  // After a crash an earlier run may be continued beside the one that replaced it, and would generate everything twice.
  if (!(await unit.deployments.isUnderWay(uid, run, signal))) return undefined;
  const deployment = await unit.deployments.get(uid, signal);
  const triggers = await unit.triggers.of(uid, signal);
  if (deployment === undefined || deployment.rollout !== undefined || triggers.length === 0) return undefined;
  const requested = requestedChange(triggers.map(({ trigger }) => trigger));
  const asked = await desiredRevision(unit, { deployment, requested }, signal);
  const pending = invalidationOf(triggers);
  const its = { asked, invalidation: pending(FOR_ALL) };
  if (deployment.deletion !== undefined) return { ...its, desired: undefined, compared: [] };
  try {
    const { manifests } = strategies;
    const scene = { ...asked, deployment, speculative: false, invalidationOf: pending };
    const desired = await DesiredContents.open(unit, scene, { manifests, fingerprint, slots }, signal);
    const looking = { deps, deployment, asked, requested, desired };
    const compared = desired.isSameForAll ? [] : await comparedTargets(unit, looking, signal);
    await desired.recall(
      unit,
      compared.map(({ id }) => id),
      signal,
    );
    return { ...its, desired, compared };
  } catch (error) {
    if (!isStrategyFault(error)) throw error;
    return { ...its, trouble: { reason: 'ManifestFailed', message: messageOf(error) } };
  }
}

interface Comparing {
  readonly deps: PipelineDeps;
  readonly deployment: Parameters<typeof loadPlanInputs>[1]['deployment'];
  readonly asked: DesiredRevision;
  readonly requested: RequestedChange;
  readonly desired: DesiredContents;
}

async function comparedTargets(
  unit: UnitOfWork,
  { deps, deployment, asked, requested, desired }: Comparing,
  signal: AbortSignal,
): Promise<readonly GenerateTarget[]> {
  const { strategies, clock } = deps;
  // Before the first revision no target has content.
  if (deployment.revision === 0) return [];
  const looking = { deployment, spec: asked.spec, manifest: desired.manifest, isAsBefore: !requested.resolves };
  const around = await loadPlanInputs(
    unit,
    { ...looking, placements: strategies.placements, now: clock.now() },
    signal,
  );
  const comparison = { requested, isUnfinished: await isUnfinished(unit, deployment, signal) };
  return around.rows.flatMap((row) => {
    const target = around.targets.get(row.target);
    // A target without content is not up to date, whatever it should have.
    return row.applied !== undefined && target !== undefined && isCompared(row, comparison) ? [target] : [];
  });
}

async function generateOnce(desired: DesiredContents, signal: AbortSignal): Promise<{ hashes: Hashes; made?: Made }> {
  const stored = desired.storedFor(ANY_TARGET);
  if (stored !== undefined) return { hashes: desired.deliveryHashOf(stored) };
  const made = await unlessFailed(() => desired.generate(ANY_TARGET, signal), signal);
  return made?.desired.kind === 'content' ? { hashes: made.desired.hash, made } : { hashes: new Map() };
}

/** Generates for many targets at once, and stores contents as soon as there is a piece of them. */
class PlannedContents {
  readonly #deps: PipelineDeps;
  readonly #deployment: DeploymentId;
  readonly #desired: DesiredContents;
  readonly #hashes = new Map<TargetId, string>();
  #made: Made[] = [];

  constructor(deps: PipelineDeps, deployment: DeploymentId, desired: DesiredContents) {
    this.#deps = deps;
    this.#deployment = deployment;
    this.#desired = desired;
  }

  async hashesOf(targets: readonly GenerateTarget[], signal: AbortSignal): Promise<Hashes> {
    const missing = targets.filter((target) => {
      const stored = this.#desired.storedFor(target);
      if (stored !== undefined) this.#hashes.set(target.id, this.#desired.deliveryHashOf(stored));
      return stored === undefined;
    });
    if (missing.length === 0) return this.#hashes;
    const bounded = AbortSignal.any([signal, AbortSignal.timeout(GENERATE_ALL_MS)]);
    const queue = missing.values();
    const work = async (): Promise<void> => {
      for (const target of queue) {
        if (bounded.aborted) break;
        await this.#add(target, bounded);
        if (this.#made.length >= PIECE) await this.#store(signal);
      }
    };
    await Promise.all(Array.from({ length: this.#deps.slots.widthOf(this.#desired.manifest) }, work));
    signal.throwIfAborted();
    await this.#store(signal);
    return this.#hashes;
  }

  async #add(target: GenerateTarget, signal: AbortSignal): Promise<void> {
    // A failure is reported for its target when its step comes, and delays no other.
    const made = await this.#desired.generate(target, signal).catch(() => undefined);
    if (made?.desired.kind !== 'content') return;
    this.#hashes.set(target.id, made.desired.hash);
    this.#made.push(made);
  }

  async #store(signal: AbortSignal): Promise<void> {
    const made = this.#made;
    this.#made = [];
    if (made.length === 0) return;
    await this.#deps.units.writeOf(
      [this.#deployment],
      (unit) => keepMade(unit, { deployment: this.#deployment, made }, signal),
      signal,
    );
  }
}

/** Stores generated contents, and what they were generated from. */
export async function keepMade(
  unit: UnitOfWork,
  { deployment, made }: { readonly deployment: DeploymentId; readonly made: readonly Made[] },
  signal: AbortSignal,
): Promise<void> {
  const records = new Map(made.flatMap(({ record }) => (record === undefined ? [] : [record])));
  if (records.size === 0) return;
  const payloads = made.flatMap(({ desired }) => (desired.kind === 'content' ? [desired.payload] : []));
  await Promise.all([unit.contents.keep(payloads, signal), unit.generated.put(deployment, records, signal)]);
}

async function unlessFailed<T>(body: () => Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  try {
    return await body();
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}

/** True for a manifest that cannot be read, false for errors of the storage. */
function isStrategyFault(error: unknown): boolean {
  return (
    error instanceof DeploymentError ||
    error instanceof RangeError ||
    error instanceof TypeError ||
    error instanceof SyntaxError
  );
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
