import type { TargetId } from '#protocol/targets';
import type { DeploymentId } from '../../domain/deployment/deployment.ts';
import type { RolloutOpening, UnitOfWork } from '../ports.ts';

/**
 * The names of targets, as recorded by the rollouts or as known now. A target without a known name is shown as its id.
 */
export async function targetNames(
  { targets }: Pick<UnitOfWork, 'targets'>,
  wanted: {
    readonly deployment: DeploymentId;
    readonly ids: Iterable<TargetId>;
    readonly openings: readonly (RolloutOpening | undefined)[];
  },
  signal: AbortSignal,
): Promise<ReadonlyMap<TargetId, string>> {
  const names = new Map<TargetId, string>();
  const unknown: TargetId[] = [];
  for (const id of wanted.ids) {
    const name = wanted.openings.map((opening) => opening?.names[id]).find((each) => each !== undefined);
    if (name === undefined) unknown.push(id);
    names.set(id, name ?? id);
  }
  const rows = unknown.length === 0 ? [] : await targets.some(wanted.deployment, unknown, signal);
  for (const { target, name } of rows) names.set(target, name);
  return names;
}
