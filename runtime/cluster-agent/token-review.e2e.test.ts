import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { createKubeClient, parseKubeConfig } from '#kit/kube';
import { clustersUnavailable, sharedCluster } from '#testing/clusters';
import { createTokenReviewAuthenticator } from './token-review.ts';

const skip = (await clustersUnavailable('apiserver')) ?? false;
const AUDIENCE = 'fleetlet';

suite('who a Pod is, by the token of its service account', { skip }, () => {
  test('the API server says, for tokens that are for us', async (t) => {
    const cluster = await sharedCluster('apiserver', t.signal);
    const namespace = await cluster.namespace(t);
    const client = createKubeClient({ config: parseKubeConfig(cluster.kubeconfig()) });
    t.after(() => client.close());
    const said = async (...args: string[]): Promise<string> => {
      const { stdout } = await cluster.kubectl(['-n', namespace, ...args]);
      return stdout.trim();
    };
    await said('create', 'serviceaccount', 'scorer');
    const authenticator = createTokenReviewAuthenticator({ client, audiences: [AUDIENCE] });
    const known = async (token: string | undefined): Promise<string> => {
      const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
      const identity = await authenticator.identify({ address: '', headers, certificate: undefined }, t.signal);
      return identity.kind === 'known' ? identity.identity : identity.message;
    };
    const ours = await said('create', 'token', 'scorer', '--audience', AUDIENCE);
    assert.equal(await known(ours), `serviceaccount:${namespace}:scorer`);
    assert.match(await known(await said('create', 'token', 'scorer', '--audience', 'somebody-else')), /does not know/);
    assert.match(await known(`${ours.slice(0, -8)}AAAAAAAA`), /does not know/);
    assert.match(await known(undefined), /is needed/);
  });
});
