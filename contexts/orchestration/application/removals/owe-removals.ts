import type { Deployment } from '../../domain/deployment/deployment.ts';
import type { DeploymentTarget } from '../../domain/deployment/deployment-target.ts';
import type { ManifestRegistry } from '../../domain/manifest/manifest-strategy.ts';
import type { UnitOfWork } from '../ports.ts';

/** Whether a strategy has to be told of removals. One that is not registered at the moment may have to. */
export type OwesRemovals = (strategy: string) => boolean;

export function owesRemovals(manifests: ManifestRegistry): OwesRemovals {
  return (type) => {
    const strategy = manifests.get(type);
    return strategy === undefined || strategy.onRemoved !== undefined;
  };
}

export interface Removed {
  readonly deployment: Deployment;
  /** As they were before they were dropped. */
  readonly rows: readonly DeploymentTarget[];
  readonly now: number;
}

/**
 * Records that the strategy has to be told, in the unit of work that drops the rows. Rows that never got an order are
 * about nothing. An order that has failed may have left something, too.
 */
export async function oweRemovals(
  unit: Pick<UnitOfWork, 'removals'>,
  owes: OwesRemovals,
  { deployment, rows, now }: Removed,
  signal: AbortSignal,
): Promise<void> {
  const { uid, name, workspace, revision, spec } = deployment;
  const strategy = spec.manifest.type;
  if (rows.length === 0 || !owes(strategy)) return;
  const touched = rows.filter(({ applied, order, failure }) => applied ?? order ?? failure);
  const owed = touched.map(({ target, name: its, type }) => {
    // A target may leave, come back and leave again within one revision.
    const idempotencyKey = `${uid}/${target}/${revision}/${now}`;
    const context = {
      target: { id: target, name: its, type },
      deployment: { uid, name, workspace: workspace.name },
      revision,
      idempotencyKey,
    };
    return { strategy, context };
  });
  await unit.removals.add(owed, now, signal);
}
