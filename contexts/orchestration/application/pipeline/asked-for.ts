import { canonicalJson } from '#kit/std';
import type { Deployment, DeploymentSpec } from '../../domain/deployment/deployment.ts';
import type { Wishes } from '../../domain/deployment/wishes-of.ts';
import type { UnitOfWork } from '../ports.ts';

/** The content and settings of the next rollout, with a requested rollback taken into account. */
export interface Asked {
  readonly spec: DeploymentSpec;
  /** The revision that the rollout will have. */
  readonly revision: number;
  readonly rollbackTo: number | undefined;
  readonly isPaced: boolean;
  /** The fields of the deployment that the rollout changes. */
  readonly next: Pick<Deployment, 'spec' | 'generation'>;
}

/**
 * A rollback restores everything that documents are generated from, but never placement or rollout: it must not shrink a
 * fleet.
 */
export async function askedFor(
  unit: UnitOfWork,
  { deployment, wishes }: { readonly deployment: Deployment; readonly wishes: Wishes },
  signal: AbortSignal,
): Promise<Asked> {
  const { uid, spec, generation } = deployment;
  const revision = Math.max(deployment.revision, wishes.ahead) + 1;
  const { rollback } = wishes;
  const old = rollback === undefined ? undefined : await unit.revisions.find(uid, rollback.to, signal);
  if (rollback === undefined || old === undefined || deployment.deletion !== undefined) {
    return { spec, revision, rollbackTo: undefined, isPaced: true, next: { spec, generation } };
  }
  const { namespace: _, ...kept } = spec;
  const { manifest, config, healthRules, driftPolicy, namespace } = old.spec;
  const restored = {
    ...kept,
    manifest,
    config,
    healthRules,
    driftPolicy,
    ...(namespace === undefined ? {} : { namespace }),
  };
  const isSame = canonicalJson(restored) === canonicalJson(spec);
  const next = isSame ? { spec, generation } : { spec: restored, generation: generation + 1 };
  return { spec: next.spec, revision, rollbackTo: rollback.to, isPaced: rollback.paced, next };
}

/** Whether results computed for one are valid for the other. */
export function isSameAsk(a: Asked, b: Asked): boolean {
  return a.revision === b.revision && a.next.generation === b.next.generation && a.rollbackTo === b.rollbackTo;
}

/** The last rollout did not succeed, so any target may lack anything. */
export async function isUnfinished(
  unit: UnitOfWork,
  { uid, revision }: Deployment,
  signal: AbortSignal,
): Promise<boolean> {
  const last = revision === 0 ? undefined : await unit.revisions.find(uid, revision, signal);
  return last?.outcome !== 'Succeeded';
}
