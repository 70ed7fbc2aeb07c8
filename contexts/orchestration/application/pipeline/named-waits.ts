import type { TargetId } from '#protocol/targets';
import type { DeploymentId } from '../../domain/deployment/deployment.ts';
import type { Wait } from '../../domain/rollout/machine/explain-wait.ts';
import type { UnitOfWork } from '../ports.ts';

/** The waits of a rollout, with target names in place of ids, for people. */
export async function namedWaits(
  unit: UnitOfWork,
  { deployment, waits }: { readonly deployment: DeploymentId; readonly waits: readonly Wait[] },
  signal: AbortSignal,
): Promise<readonly Wait[]> {
  const ids = [...new Set(waits.flatMap(({ targets }) => targets ?? []))];
  if (ids.length === 0) return waits;
  const rows = await unit.targets.some(deployment, ids, signal);
  const names = new Map(rows.map(({ target, name }) => [target, name]));
  return waits.map(({ targets, ...wait }) =>
    targets === undefined ? wait : { ...wait, targets: targets.map((id) => (names.get(id) ?? id) as TargetId) },
  );
}
