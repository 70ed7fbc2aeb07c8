import assert from 'node:assert/strict';
import { made } from '../access/callers.ts';
import { kubeconfigFor } from '../scripted-cluster.ts';
import { type Attack, heldOff, succeeded } from './attack.ts';
import { addMallory, fakeCluster, stateOf, until } from './mallory.ts';

const HIDDEN = 'merger-with-acme';

interface Entry {
  readonly principal?: { readonly id?: string };
  readonly operation?: string;
  readonly operationId?: string;
}

export const unseenGuess: Attack = {
  finding: 21,
  name: 'a caller finds out by dry runs which hidden names are taken, and leaves no trace',
  run: async ({ home }) => {
    const platform = await home.start();
    const mallory = await addMallory(platform);
    await made(platform, '/v1/workspaces', { name: HIDDEN, parent: 'root' });
    const hidden = await mallory.ask(`/v1/workspaces/${HIDDEN}`);
    assert.equal(hidden.status, 404, await hidden.text());
    const body = { name: HIDDEN, parent: mallory.workspace };
    const guess = await mallory.ask('/v1/workspaces?dryRun=true', { method: 'POST', body });
    const said = await guess.text();
    if (guess.status !== 409) return heldOff(`the dry run answers ${guess.status}: ${said.slice(0, 200)}`);
    const guesses = async (): Promise<number> => {
      const audit = await platform.request('/v1/audit?pageSize=100');
      assert.equal(audit.status, 200);
      const { items = [] } = (await audit.json()) as { readonly items?: readonly Entry[] };
      const own = items.filter(({ principal }) => principal?.id?.endsWith('/mallory'));
      return own.filter((entry) => JSON.stringify(entry).includes('createWorkspace')).length;
    };
    // Refusals are recorded in the background, in order: once this one, which is always recorded, shows up, an earlier
    // one would too.
    const marker = await mallory.ask('/v1/workspaces/root', { method: 'DELETE', headers: { 'if-match': '*' } });
    assert.ok(marker.status === 403 || marker.status === 404, await marker.text());
    await until('a refusal that is always on record', async () => {
      const text = await (await platform.request('/v1/audit?pageSize=100')).text();
      return text.includes('deleteWorkspace') || undefined;
    });
    return (await guesses()) === 0
      ? succeeded(
          `409 for a name that is 404 to the caller, and the audit log has nothing of it: ${said.slice(0, 120)}`,
        )
      : heldOff('the refused dry run is in the audit log');
  },
};

export const namedTarget: Attack = {
  finding: 21,
  name: 'the admin of a workspace learns the name of a hidden target that is the same cluster',
  run: async ({ home }) => {
    const platform = await home.start();
    const mallory = await addMallory(platform);
    const cluster = await fakeCluster();
    try {
      const kubeconfig = kubeconfigFor(cluster.url);
      await made(platform, '/v1/workspaces', { name: 'vault', parent: 'root' });
      await made(platform, '/v1/targets', { name: HIDDEN, type: 'kubernetes', workspace: 'vault' });
      await made(platform, '/v1/targets', { name: 'probe', type: 'kubernetes', workspace: mallory.workspace });
      const put = await platform.request(`/v1/targets/${HIDDEN}/kubeconfig`, { method: 'PUT', body: { kubeconfig } });
      assert.equal(put.status, 201, await put.text());
      await until('the first to be served', async () => {
        const known = await platform.request(`/v1/targets/${HIDDEN}/kubeconfig`);
        return (await known.text()).includes('"Serving"') || undefined;
      });
      const own = await mallory.ask('/v1/targets/probe/kubeconfig', { method: 'PUT', body: { kubeconfig } });
      assert.equal(own.status, 201, await own.text());
      const { state, message } = await stateOf(mallory, 'probe');
      assert.equal(state, 'Refused', message);
      return message.includes(HIDDEN) ? succeeded(`the state says: ${message}`) : heldOff(`the state says: ${message}`);
    } finally {
      await cluster.close();
    }
  },
};
