import type { ResourceName } from '#kit/std';
import type { Deployment } from '../../domain/deployment/deployment.ts';
import { DeploymentError, deploymentNotFound } from '../../domain/deployment/deployment-error.ts';
import type { Revision } from '../../domain/deployment/revision.ts';
import type { RolloutOpening, UnitOfWork } from '../ports.ts';

export interface DeploymentName {
  readonly workspace: ResourceName;
  readonly name: ResourceName;
}

/** The plan of a rollout, in numbers. */
export interface PlanSummary {
  readonly steps: readonly { readonly name: string; readonly deliver: number; readonly remove: number }[];
  readonly deliver: number;
  readonly remove: number;
  /** Targets that had the content already. */
  readonly current: number;
}

export async function getDeployment(
  { deployments }: Pick<UnitOfWork, 'deployments'>,
  { workspace, name }: DeploymentName,
  signal: AbortSignal,
): Promise<Deployment> {
  const deployment = await deployments.find(workspace, name, signal);
  if (deployment === undefined) throw deploymentNotFound(workspace, name);
  return deployment;
}

export async function getRevision(
  { revisions }: Pick<UnitOfWork, 'revisions'>,
  { uid, name }: Deployment,
  number: number,
  signal: AbortSignal,
): Promise<Revision> {
  const revision = await revisions.find(uid, number, signal);
  if (revision !== undefined) return revision;
  throw new DeploymentError(
    'REVISION_NOT_FOUND',
    `There is no revision ${number} of ${name}, or it is no longer stored. See the list of revisions.`,
  );
}

export function planSummary({ start: { plan } }: RolloutOpening): PlanSummary {
  const steps = plan.steps.map(({ name, deliver, remove }) => ({
    name,
    deliver: deliver.length,
    remove: remove.length,
  }));
  const sum = (of: 'deliver' | 'remove') => steps.reduce((total, step) => total + step[of], 0);
  return { steps, deliver: sum('deliver'), remove: sum('remove'), current: plan.current.length };
}
