import {
  type ApprovalResource,
  ApprovalSchema,
  type DeploymentGroupStatusResource,
  DeploymentGroupStatusSchema,
  type DeploymentResource,
  DeploymentSchema,
  DeploymentTargetSchema,
} from '#protocol/api';
import type { ApiClient } from '../client/api-client.ts';
import { ClientError } from '../client/client-error.ts';
import { readPages } from '../client/read-pages.ts';
import type { RolloutPicture } from './rollout-picture.ts';

/** The address of a deployment. */
export interface DeploymentAddress {
  readonly workspace: string;
  readonly name: string;
}

export function deploymentPath({ workspace, name }: DeploymentAddress): readonly string[] {
  return ['workspaces', workspace, 'deployments', name];
}

/** The subject of its events. */
export function subjectOf(address: DeploymentAddress): string {
  return deploymentPath(address).join('/');
}

export async function readDeployment(
  api: ApiClient,
  address: DeploymentAddress,
  signal: AbortSignal,
): Promise<DeploymentResource> {
  return await api.get(DeploymentSchema, { path: deploymentPath(address) }, signal);
}

/** Everything that the output needs besides the deployment itself. */
export async function readSurroundings(
  api: ApiClient,
  deployment: DeploymentResource,
  signal: AbortSignal,
): Promise<Omit<RolloutPicture, 'deployment'>> {
  const address = deployment;
  const call = { path: [...deploymentPath(address), 'targets'] };
  const { items: targets } = await readPages(api, { item: DeploymentTargetSchema, call }, signal);
  const approvals = await readApprovals(api, address, signal);
  const children = await readChildren(api, deployment, signal);
  return { targets, approvals, children, group: await readGroup(api, deployment, signal) };
}

/** Empty until the platform has reconciled the group. */
async function readGroup(
  api: ApiClient,
  deployment: DeploymentResource,
  signal: AbortSignal,
): Promise<DeploymentGroupStatusResource | undefined> {
  if (deployment.manifest.type !== 'deploymentGroup') return undefined;
  try {
    return await api.get(DeploymentGroupStatusSchema, { path: [...deploymentPath(deployment), 'group'] }, signal);
  } catch (error) {
    if (error instanceof ClientError && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
}

async function readChildren(
  api: ApiClient,
  { manifest, workspace, uid }: DeploymentResource,
  signal: AbortSignal,
): Promise<readonly DeploymentResource[]> {
  if (manifest.type !== 'deploymentGroup') return [];
  const call = { path: ['workspaces', workspace, 'deployments'] };
  const { items } = await readPages(api, { item: DeploymentSchema, call }, signal);
  return items.filter(({ owner }) => owner?.group === uid);
}

/** A caller who may read rollouts may lack permission to read approvals. */
async function readApprovals(
  api: ApiClient,
  { workspace, name }: DeploymentAddress,
  signal: AbortSignal,
): Promise<readonly ApprovalResource[]> {
  const filter = `deployment == ${JSON.stringify(name)} && state == "Open"`;
  const call = { path: ['workspaces', workspace, 'approvals'], query: { filter } };
  try {
    return (await readPages(api, { item: ApprovalSchema, call }, signal)).items;
  } catch (error) {
    if (error instanceof ClientError && error.code === 'PERMISSION_DENIED') return [];
    throw error;
  }
}
