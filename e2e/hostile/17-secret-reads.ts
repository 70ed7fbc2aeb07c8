import assert from 'node:assert/strict';
import { eventually } from '../../kit/durable/testing/eventually.ts';
import { type Attack, heldOff, succeeded } from './attack.ts';
import { TARGET, withProxiedCluster } from './proxied-cluster.ts';

interface Entry {
  readonly method: string;
  readonly resource: string;
  readonly token?: string;
}

const SECRETS = '/api/v1/namespaces/default/secrets';

export const unrecordedSecretReads: Attack = {
  finding: 17,
  name: 'a deployer reads the Secrets of a cluster through the API proxy and leaves no trace of it',
  run: (stage) =>
    withProxiedCluster(stage, async ({ platform, deployer, ask }) => {
      const read = await ask(deployer, SECRETS);
      assert.equal(read.status, 200, await read.text());
      // A write follows and is always recorded: once it is visible, the read would be too.
      await ask(deployer, '/api/v1/namespaces/default/configmaps/none', { method: 'DELETE' });
      const entries = await eventually('the write is on record', async () => {
        const answer = await platform.request(`/v1/audit?resource=/v1/targets/${TARGET}/api`);
        const { items } = (await answer.json()) as { readonly items: readonly Entry[] };
        return items.some(({ method }) => method === 'DELETE') ? items : undefined;
      });
      const entry = entries.find(({ method, resource }) => method === 'GET' && resource.endsWith(SECRETS));
      if (entry === undefined) return succeeded(`of ${entries.length} entries none is of the read`);
      if (entry.token === undefined) return succeeded('the entry does not say by which token it was read');
      return heldOff(`the audit log has ${entry.method} ${entry.resource} by the token ${entry.token}`);
    }),
};
