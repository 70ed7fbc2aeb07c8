import type { DeploymentId } from '../../domain/deployment/deployment.ts';
import { decideGroup } from '../../domain/group/decide-group.ts';
import type { GroupExplanation } from '../../domain/group/explain-group.ts';
import type { UnitOfWork } from '../ports.ts';
import { lookAtGroup } from './look-at-group.ts';

/** The state of a group and its waits; `undefined` if the group was not delivered. Read-only. */
export async function groupStatus(
  unit: UnitOfWork,
  { group, now }: { readonly group: DeploymentId; readonly now: number },
  signal: AbortSignal,
): Promise<GroupExplanation | undefined> {
  const record = await unit.groups.find(group, signal);
  if (record === undefined) return undefined;
  const { scene } = await lookAtGroup(unit, record, signal);
  return decideGroup(record.state, scene, now).explanation;
}
