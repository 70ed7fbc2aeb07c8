import type { ApiClient } from '../../../client/api-client.ts';
import { ClientError } from '../../../client/client-error.ts';
import { type DeploymentAddress, readDeployment } from '../../../rollout/read-rollout.ts';

/** The number of the latest rollout of a deployment. */
export async function lastRevision(api: ApiClient, address: DeploymentAddress, signal: AbortSignal): Promise<number> {
  const { revision } = await readDeployment(api, address, signal);
  if (revision > 0) return revision;
  throw new ClientError('NOT_FOUND', `${address.name} was not rolled out yet`);
}
