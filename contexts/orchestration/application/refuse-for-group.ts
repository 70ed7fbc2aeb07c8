import type { Deployment } from '../domain/deployment/deployment.ts';
import { DeploymentError } from '../domain/deployment/deployment-error.ts';
import type { UnitOfWork } from './ports.ts';

/** An attempt of a user with a child, the reaction of the group, and the way to do it instead. */
const ATTEMPTS = {
  change: (group: string) => `which would revert the change. Change the group ${group} instead`,
  delete: (group: string) => `which would create it again. Take it out of the group ${group}, or delete the group`,
  'roll back': (group: string) => `which would revert the rollback. Roll back the group ${group} instead`,
} as const;

/** A child belongs to its group alone; one whose group is gone belongs to no group. */
export async function refuseForGroup(
  { deployments }: Pick<UnitOfWork, 'deployments'>,
  { name, owner }: Deployment,
  attempt: keyof typeof ATTEMPTS,
  signal: AbortSignal,
): Promise<void> {
  if (owner === undefined) return;
  const group = await deployments.get(owner.group, signal);
  if (group === undefined) return;
  throw new DeploymentError(
    'GROUP_CHILD',
    `Deployment ${name} is the child ${owner.child} of the group ${group.name}, ${ATTEMPTS[attempt](group.name)}.`,
    { details: { group: group.name, child: owner.child } },
  );
}
