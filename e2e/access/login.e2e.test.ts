import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { parse } from 'yaml';
import { launchBrowser, withoutBrowser } from '#testing/browser';
import { type OidcServer, startOidcServer } from '#testing/oidc/oidc-server';
import { PATIENCE_MS } from '#testing/patience';
import { type Platform, type PlatformHome, platformHome } from '#testing/platform-process';
import { runCommand } from '../../apps/cli/testing/processes.ts';
import { ask, made } from './callers.ts';
import { loginWithCli } from './cli-process.ts';

const ME = '/v1/access/identity';

interface KeptLogin {
  readonly contexts: readonly { readonly credentials?: { readonly idToken?: string } }[];
}

describe('with an issuer that was made by the API', () => {
  let home: PlatformHome;
  let platform: Platform;
  let oidc: OidcServer;
  before(async () => {
    home = await platformHome('sqlite');
    platform = await home.start();
    const users = { alice: { groups: ['dev'] }, bob: {} };
    oidc = await startOidcServer({ users, redirectUris: [`${platform.url}/v1/login/callback`] });
    const { id: clientId, secret: clientSecret } = oidc.platformClient;
    const { url, cliClient: cliClientId } = oidc;
    await made(platform, '/v1/issuers', { name: 'corp', url, clientId, clientSecret, cliClientId, mode: 'inherited' });
    await made(platform, '/v1/workspaces', { name: 'own' });
    await made(platform, '/v1/workspaces/own/grants', { subject: { kind: 'group', id: 'dev' }, role: 'viewer' });
  });
  after(async () => {
    await oidc.close();
    await home.dispose();
  });
  /**
   * Retries: the platform fetches an issuer's keys at most once in ten seconds, and this test rotates them faster than
   * that.
   */
  const loginByCli = async (flags: readonly string[], config: string): Promise<void> => {
    const begun = performance.now();
    for (;;) {
      const { code, said } = await loginWithCli(['--server', platform.url, ...flags], config);
      if (code === 0) return;
      assert.ok(performance.now() - begun < PATIENCE_MS, said);
    }
  };
  const idTokenIn = async (config: string): Promise<string> => {
    const { contexts } = parse(await readFile(config, 'utf8')) as KeptLogin;
    return contexts[0]?.credentials?.idToken ?? assert.fail(config);
  };

  it('a browser logs in, goes on with new keys of the issuer, and is out at once', {
    skip: withoutBrowser(),
  }, async (t) => {
    oidc.loginAs('alice');
    const browser = await launchBrowser();
    t.after(() => browser.close());
    const context = await browser.newContext();
    const page = await context.newPage();
    const get = async (path: string): Promise<number> =>
      await page.evaluate(async (asked) => (await fetch(asked)).status, path);
    const login = async (): Promise<void> => {
      await page.goto(`${platform.url}/login`);
      await page.getByRole('link', { name: 'corp' }).click();
      await page.getByRole('heading', { name: 'You are logged in' }).waitFor();
    };
    await login();
    assert.deepEqual([await get('/v1/workspaces/own'), await get('/v1/issuers')], [200, 403], 'as her groups may');
    await oidc.rotateKeys();
    assert.equal(await get(ME), 200, 'a session does not depend on the keys');
    await login();
    const kept = await context.cookies(platform.url);
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('heading', { name: 'Log in to FleetShift' }).waitFor();
    await context.addCookies(kept);
    assert.equal(await get(ME), 401, 'also for whoever kept the cookie');
  });

  for (const { how, flags } of [
    { how: 'on loopback with PKCE', flags: [] },
    { how: 'by the device flow', flags: ['--device'] },
  ]) {
    it(`a CLI logs in ${how}, a script uses its bearer, new keys come, and it is out at once`, async () => {
      oidc.loginAs('alice');
      const config = join(home.data, '..', `cli${flags.length}.yaml`);
      await loginByCli(flags, config);
      const who = await runCommand(['whoami', '-o', 'json'], { FLEETSHIFT_CONFIG: config });
      assert.partialDeepStrictEqual(JSON.parse(who.out), { kind: 'user', id: 'alice', groups: ['dev'] });

      const bearer = await idTokenIn(config);
      assert.equal((await ask(platform, bearer, '/v1/workspaces/own')).status, 200);
      await oidc.rotateKeys();
      const second = join(home.data, '..', `again${flags.length}.yaml`);
      await loginByCli(flags, second);
      assert.equal((await ask(platform, await idTokenIn(second), ME)).status, 200, 'signed with the new key');

      assert.equal((await runCommand(['logout'], { FLEETSHIFT_CONFIG: config })).code, 0);
      assert.equal((await ask(platform, bearer, ME)).status, 401);
      assert.equal((await ask(platform, await idTokenIn(second), ME)).status, 200, 'another login is another one');
    });
  }

  it('a user who is logged out everywhere is out with all that the issuer gave her so far', async () => {
    oidc.loginAs('bob');
    const config = join(home.data, '..', 'bob.yaml');
    await loginByCli([], config);
    const bearer = await idTokenIn(config);
    assert.equal((await ask(platform, bearer, ME)).status, 200);
    const revoked = await platform.request('/v1/sessions:revoke', { method: 'POST', body: { user: 'bob' } });
    assert.equal(revoked.status, 200);
    assert.equal((await ask(platform, bearer, ME)).status, 401);
  });

  it('an issuer that is deleted vouches for nobody any more', async () => {
    oidc.loginAs('alice');
    const config = join(home.data, '..', 'last.yaml');
    await loginByCli([], config);
    const bearer = await idTokenIn(config);
    assert.equal((await ask(platform, bearer, ME)).status, 200);
    assert.equal((await platform.request('/v1/issuers/corp', { method: 'DELETE' })).status, 204);
    assert.equal((await ask(platform, bearer, ME)).status, 401);
  });
});
