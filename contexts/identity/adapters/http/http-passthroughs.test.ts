import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { eachDatabase, type TestDatabase } from '#testing/databases';
import { call } from '../../testing/call.ts';
import { type IdentityServer, startIdentityServer } from '../../testing/identity-server.ts';
import { identityInTree } from '../index.ts';

const { signal } = new AbortController();
const CONFIGURED = { name: 'corp', url: 'https://corp.example.com', clientId: 'fleet', mode: 'inherited' };
const WANTED = { issuer: 'corp', audience: 'clusters' };
/** `shop-1` is in the workspace `shop`. */
const pathOf = (target: string): string => `/v1/targets/${target}/passthrough`;

eachDatabase('tokens that pass through', (fresh) => {
  let database: TestDatabase;
  let running: IdentityServer;
  before(async () => {
    database = await fresh();
    running = await startIdentityServer(database, { issuers: [CONFIGURED] });
  });
  after(async () => {
    await running.close();
    await database.dispose();
  });
  const ask = (what: string, options: Parameters<typeof call>[2] = {}) => call(running.server, what, options);

  it('are set, shown, changed and taken away', async () => {
    assert.equal((await ask(`GET ${pathOf('shop-1')}`, { want: 404 })).body.code, 'passthroughNotFound');
    const set = await ask(`PUT ${pathOf('shop-1')}`, { body: WANTED, want: 200 });
    assert.partialDeepStrictEqual(set.body, { target: 'shop-1', workspace: 'shop', ...WANTED });
    assert.deepEqual((await ask(`GET ${pathOf('shop-1')}`, { want: 200 })).body, set.body);
    await ask(`PUT ${pathOf('shop-1')}`, { body: { ...WANTED, audience: 'shop-1' }, want: 200 });
    await ask(`DELETE ${pathOf('shop-1')}`, { want: 204 });
    await ask(`DELETE ${pathOf('shop-1')}`, { want: 404 });
  });

  it('are of an audience that neither the platform nor another workspace has', async () => {
    await ask(`PUT ${pathOf('shop-1')}`, { body: WANTED, want: 200 });
    await ask(`PUT ${pathOf('shop-2')}`, { body: WANTED, want: 200 });
    for (const body of [
      { ...WANTED, audience: 'fleet' },
      { ...WANTED, issuer: 'nobody' },
    ]) {
      const refused = await ask(`PUT ${pathOf('shop-1')}`, { body, want: 400 });
      assert.equal(refused.body.code, 'passthroughRefused');
    }
    const other = await ask(`PUT ${pathOf('lair-1')}`, { body: WANTED, want: 400 });
    assert.deepEqual(other.body.faults[0].path, '/audience');
    assert.doesNotMatch(JSON.stringify(other.body), /shop/, 'whose it is is not told');
  });

  it('go with their target', async () => {
    await ask(`PUT ${pathOf('gone-1')}`, { body: { ...WANTED, audience: 'gone' }, want: 200 });
    await running.storage.write((tx) => identityInTree(tx).deleted({ uid: 'uid-gone-1' }, signal), signal);
    await ask(`GET ${pathOf('gone-1')}`, { want: 404 });
  });
});
