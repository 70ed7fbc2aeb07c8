import type { Role } from '#contexts/access';
import type { Platform } from '#testing/platform-process';
import { addCaller, made, STAFF } from '../access/callers.ts';
import { type ClusterScript, kubeconfigFor, startScriptedCluster } from '../scripted-cluster.ts';
import type { Stage } from './attack.ts';

export const DEPLOYMENTS = '/v1/workspaces/shop/deployments';

export interface StoredCluster {
  readonly platform: Platform;
  /** The token of a caller with this role in the workspace shop. */
  readonly tokenOf: (role: Role) => Promise<string>;
}

/** Runs `body` on a platform that serves a cluster by itself, with the target prod-1 in the workspace shop. */
export async function withStoredCluster<T>(
  { home }: Stage,
  script: ClusterScript,
  attack: (it: StoredCluster) => Promise<T>,
): Promise<T> {
  const cluster = await startScriptedCluster(script);
  try {
    const platform = await home.start();
    for (const name of [STAFF, 'shop']) await made(platform, '/v1/workspaces', { name, parent: 'root' });
    await made(platform, '/v1/targets', { name: 'prod-1', type: 'kubernetes', workspace: 'shop' });
    const body = { kubeconfig: kubeconfigFor(cluster.url) };
    const put = await platform.request('/v1/targets/prod-1/kubeconfig', { method: 'PUT', body });
    if (put.status !== 201) throw new Error(`kubeconfig: ${put.status} ${await put.text()}`);
    const tokenOf = async (role: Role): Promise<string> =>
      (await addCaller(platform, { name: `mallory-${role}`, given: [{ role, on: 'workspaces/shop' }] })).token;
    return await attack({ platform, tokenOf });
  } finally {
    await cluster.close();
  }
}
