import type { TargetId } from '#protocol/targets';
import { isCompared } from '../../domain/deployment/decide-plan.ts';
import type { DeploymentId } from '../../domain/deployment/deployment.ts';
import { DeploymentError } from '../../domain/deployment/deployment-error.ts';
import { type Wishes, wishesOf } from '../../domain/deployment/wishes-of.ts';
import type { Manifest } from '../../domain/manifest/manifest-strategy.ts';
import type { UnitOfWork } from '../ports.ts';
import { type Asked, askedFor, isUnfinished } from './asked-for.ts';
import { lookAround, type Surroundings } from './look-around.ts';
import type { PipelineDeps } from './pipeline-deps.ts';
import { WantedContent } from './wanted-content.ts';

/** Why no rollout can be planned. */
export interface Trouble {
  readonly reason: string;
  readonly message: string;
}

export type Prepared =
  | { readonly asked: Asked; readonly trouble: Trouble }
  | { readonly asked: Asked; readonly manifest: Pick<Manifest, 'type' | 'fits'>; readonly hashes: Hashes };

/** The hash of the desired content per target, as far as it was computed; a single one if it is the same for all. */
export type Hashes = ReadonlyMap<TargetId, string> | string;

/**
 * The desired content is computed before the unit of work that plans, because a strategy may take its time. Targets that
 * joined since then are not known to be up to date; they are compared when their turn comes.
 */
export async function preparePlan(
  deps: PipelineDeps,
  deployment: DeploymentId,
  signal: AbortSignal,
): Promise<Prepared | undefined> {
  const seen = await deps.units.read((unit) => look(unit, { deps, deployment }, signal), signal);
  if (seen === undefined || 'trouble' in seen) return seen;
  const { asked, wanted } = seen;
  try {
    const manifest = wanted?.manifest ?? { type: asked.spec.manifest.type, fits: undefined };
    return { asked, manifest, hashes: await hashesOf(seen, signal) };
  } catch (error) {
    signal.throwIfAborted();
    return { asked, trouble: { reason: 'ManifestFailed', message: messageOf(error) } };
  }
}

interface Seen {
  readonly asked: Asked;
  /** `undefined` if the deployment is being deleted. */
  readonly wanted: WantedContent | undefined;
  readonly around: Surroundings | undefined;
  readonly wishes: Wishes;
  readonly isUnfinished: boolean;
}

async function look(
  unit: UnitOfWork,
  { deps, deployment: uid }: { readonly deps: PipelineDeps; readonly deployment: DeploymentId },
  signal: AbortSignal,
): Promise<Seen | Extract<Prepared, { trouble: Trouble }> | undefined> {
  const { strategies, fingerprint, clock } = deps;
  const deployment = await unit.deployments.get(uid, signal);
  const triggers = await unit.triggers.of(uid, signal);
  if (deployment === undefined || deployment.rollout !== undefined || triggers.length === 0) return undefined;
  const wishes = wishesOf(triggers.map(({ trigger }) => trigger));
  const asked = await askedFor(unit, { deployment, wishes }, signal);
  const its = { asked, wishes, isUnfinished: await isUnfinished(unit, deployment, signal) };
  if (deployment.deletion !== undefined) return { ...its, wanted: undefined, around: undefined };
  try {
    const scene = { ...asked, deployment, manifests: strategies.manifests, fingerprint };
    const wanted = await WantedContent.open(unit, scene, signal);
    if (wanted.isSameForAll) return { ...its, wanted, around: undefined };
    const looking = { deployment, spec: asked.spec, manifest: wanted.manifest, isAsBefore: !wishes.resolves };
    const around = await lookAround(unit, { ...looking, placements: strategies.placements, now: clock.now() }, signal);
    return { ...its, wanted, around };
  } catch (error) {
    if (!isStrategyFault(error)) throw error;
    return { asked, trouble: { reason: 'ManifestFailed', message: messageOf(error) } };
  }
}

async function hashesOf({ wanted, around, ...scene }: Seen, signal: AbortSignal): Promise<Hashes> {
  const hashes = new Map<TargetId, string>();
  if (wanted === undefined) return hashes;
  if (around === undefined) {
    const same = await wanted.of(ANY_TARGET, signal);
    return same.kind === 'content' ? same.hash : hashes;
  }
  for (const row of around.rows) {
    const target = around.targets.get(row.target);
    // A target without content is not up to date, whatever it should have.
    if (row.applied === undefined || target === undefined || !isCompared(row, scene)) continue;
    const its = await wanted.of(target, signal);
    if (its.kind === 'content') hashes.set(row.target, its.hash);
  }
  return hashes;
}

/** Placeholder for manifests that are the same for all targets and read none of their fields. */
const ANY_TARGET = { id: '' as TargetId, name: '', type: '', labels: {}, properties: {}, manifestTypes: [] };

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
