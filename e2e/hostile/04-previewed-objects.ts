import { eventually } from '../../kit/durable/testing/eventually.ts';
import { addCaller, ask, made, STAFF } from '../access/callers.ts';
import { kubeconfigFor, startScriptedCluster } from '../scripted-cluster.ts';
import { type Attack, heldOff, type Stage, succeeded } from './attack.ts';

const MARKED = 'canary-marked-4715';
const SECRET = 'canary-secret-4716';
const DEPLOYMENTS = '/v1/workspaces/shop/deployments';

const manifest = (login: unknown, { password, mode }: { readonly password: string; readonly mode: string }) => ({
  type: 'inline',
  documents: [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'app', namespace: 'default' }, data: { login, mode } },
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'db', namespace: 'default' }, stringData: { password } },
  ],
});

/** The same of a cluster: its agent compares with what is there. */
export const previewObjects: Attack = {
  finding: 4,
  name: 'a deployer reads secrets of objects in a cluster in a deep preview',
  run: async (stage: Stage) => {
    const cluster = await startScriptedCluster();
    try {
      const platform = await stage.home.start();
      for (const name of [STAFF, 'shop']) await made(platform, '/v1/workspaces', { name, parent: 'root' });
      await made(platform, '/v1/targets', { name: 'prod-1', type: 'kubernetes', workspace: 'shop' });
      const body = { kubeconfig: kubeconfigFor(cluster.url) };
      const put = await platform.request('/v1/targets/prod-1/kubeconfig', { method: 'PUT', body });
      if (put.status !== 201) throw new Error(`kubeconfig: ${put.status} ${await put.text()}`);
      const given = [{ role: 'deployer', on: 'workspaces/shop' }] as const;
      const { token } = await addCaller(platform, { name: 'mallory', given });
      const delivered = manifest({ $secret: MARKED }, { password: SECRET, mode: 'plain' });
      await made(platform, DEPLOYMENTS, { name: 'web', manifest: delivered, placement: [{ type: 'all' }] });
      await eventually('the deployment in the cluster', async () => {
        const answer = await platform.request(`${DEPLOYMENTS}/web`);
        const { status } = (await answer.json()) as { readonly status: { readonly rollout?: { outcome?: string } } };
        return status.rollout?.outcome === 'Succeeded';
      });
      const other = { manifest: manifest('x', { password: 'y', mode: 'other' }) };
      const path = `${DEPLOYMENTS}/web:preview?deep=true`;
      const answer = await ask(platform, token, path, { method: 'POST', body: other });
      const text = await answer.text();
      // The agent has answered, and shows what may be seen.
      if (!text.includes('data.mode')) throw new Error(`no deep preview: ${answer.status} ${text}`);
      const seen = [MARKED, SECRET, btoa(SECRET)].filter((canary) => text.includes(canary));
      return seen.length > 0
        ? succeeded(`the preview shows ${seen.join(', ')}`)
        : heldOff('the preview hides all of them');
    } finally {
      await cluster.close();
    }
  },
};
