import assert from 'node:assert/strict';
import { startSigningIssuer } from '#testing/oidc/signing-issuer';
import { ask, made } from '../access/callers.ts';
import { kubeconfigFor } from '../scripted-cluster.ts';
import { type Attack, heldOff, succeeded } from './attack.ts';
import { addMallory, fakeCluster, until } from './mallory.ts';

const TARGET = 'bait';
const PLATFORM = 'platform';

export const harvestedToken: Attack = {
  finding: 2,
  name: 'the admin of a workspace harvests the token of a visitor, and acts with it on the whole instance',
  run: async ({ home }) => {
    const [issuer, cluster] = [await startSigningIssuer(), await fakeCluster()];
    try {
      const platform = await home.start();
      const mallory = await addMallory(platform);
      await made(platform, '/v1/issuers', { name: 'corp', url: issuer.url, clientId: PLATFORM, mode: 'inherited' });
      await made(platform, '/v1/workspaces/root/grants', { subject: { kind: 'group', id: 'bosses' }, role: 'admin' });

      // First with the property that used to request tokens, then without it.
      const draft = { name: TARGET, type: 'kubernetes', workspace: mallory.workspace };
      const properties = { apiAuthentication: 'passthrough' };
      const wanted = await mallory.ask('/v1/targets', { method: 'POST', body: { ...draft, properties } });
      if (wanted.status !== 201) {
        assert.match(await wanted.text(), /apiAuthentication/);
        const plain = await mallory.ask('/v1/targets', { method: 'POST', body: draft });
        assert.equal(plain.status, 201, await plain.text());
      }
      const passthrough = { issuer: 'corp', audience: PLATFORM };
      const set = await mallory.ask(`/v1/targets/${TARGET}/passthrough`, { method: 'PUT', body: passthrough });
      const body = { kubeconfig: kubeconfigFor(cluster.url) };
      const put = await mallory.ask(`/v1/targets/${TARGET}/kubeconfig`, { method: 'PUT', body });
      assert.equal(put.status, 201, await put.text());
      const boss = await issuer.sign({ sub: 'boss', aud: PLATFORM, groups: ['bosses'] });
      await until('the boss to reach the cluster', async () => {
        const visit = await ask(platform, boss, `/targets/${TARGET}/api/api/v1/namespaces/kube-system`);
        return visit.status === 200 || undefined;
      });

      const harvested = cluster.authorizations.find((shown) => shown.includes(boss));
      if (harvested === undefined)
        return heldOff(`the cluster saw no token of the visitor; passthrough: ${set.status}`);
      const grants = { subject: { kind: 'serviceAccount', id: 'staff/mallory' }, role: 'admin' };
      const replayed = await ask(platform, harvested.replace(/^Bearer /, ''), '/v1/workspaces/root/grants', {
        method: 'POST',
        body: grants,
      });
      return replayed.status === 201
        ? succeeded('with the token that the cluster was shown mallory made herself admin of the root')
        : heldOff(`the token was shown to the cluster; the platform answers it with ${replayed.status}`);
    } finally {
      await Promise.all([issuer.close(), cluster.close()]);
    }
  },
};
