import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { parse } from 'yaml';
import { leaveAdminCode } from '#contexts/identity/adapters';
import { freshDatabase, type TestDatabase } from '#testing/databases';
import { followLogin } from '#testing/oidc/follow-login';
import { type OidcServer, startOidcServer } from '#testing/oidc/oidc-server';
import { bearer, call } from '../../../contexts/identity/testing/call.ts';
import {
  ADMIN_TOKEN,
  type IdentityServer,
  startIdentityServer,
} from '../../../contexts/identity/testing/identity-server.ts';
import { revokeSessions } from '../commands/access/revoke-sessions.ts';
import { adminLogin } from '../commands/operate/admin-login.ts';
import { login } from '../commands/session/login.ts';
import { logout } from '../commands/session/logout.ts';
import { whoami } from '../commands/session/whoami.ts';
import type { CommandEntry } from '../commands.ts';
import type { CliConfig } from '../config-file/cli-config.ts';
import { runCli } from '../run-cli.ts';

const COMMANDS: readonly CommandEntry[] = Object.entries({
  login,
  logout,
  whoami,
  'admin-login': adminLogin,
  'revoke-sessions': revokeSessions,
}).map(([name, command]) => ({ name, summary: name, load: async () => command }));
const signal = new AbortController().signal;

describe('logging in with the CLI', () => {
  let database: TestDatabase;
  let running: IdentityServer;
  let oidc: OidcServer;
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fleetshift-login-'));
    database = await freshDatabase('sqlite');
    running = await startIdentityServer(database);
    // So short that each command refreshes it first.
    oidc = await startOidcServer({
      users: { alice: { groups: ['dev'] } },
      redirectUris: [running.url],
      tokenSeconds: 45,
    });
    const { platformClient, cliClient: cliClientId, url } = oidc;
    const body = {
      name: 'corp',
      url,
      clientId: platformClient.id,
      clientSecret: platformClient.secret,
      cliClientId,
      mode: 'inherited',
    };
    await call(running.server, 'POST /v1/issuers', { body, want: 201 });
  });
  after(async () => {
    await oidc.close();
    await running.close();
    await database.dispose();
    await rm(folder, { recursive: true, force: true });
  });

  /** Each test has its own configuration. */
  const cli = (file: string) => {
    const config = join(folder, 'deep', file);
    const told = { out: '', err: '' };
    const watchers = new Set<() => void>();
    const io = {
      out: (text: string) => void (told.out += text),
      err: (text: string) => {
        told.err += text;
        for (const look of watchers) look();
      },
      errIsTerminal: false,
      environment: { FLEETSHIFT_CONFIG: config },
    };
    return {
      config,
      read: async () => parse(await readFile(config, 'utf8')) as CliConfig,
      run: async (...args: string[]) => {
        Object.assign(told, { out: '', err: '' });
        const code = await runCli(args, { commands: COMMANDS, io }, signal);
        return { code, ...told };
      },
      /** The address that the user is asked to open. */
      address: () =>
        new Promise<string>((resolve) => {
          const look = (): void => {
            const url = /^ {2}(http\S+)$/m.exec(told.err)?.[1];
            if (url !== undefined) resolve(url);
          };
          watchers.add(look);
        }),
    };
  };
  const loginByBrowser = async (me: ReturnType<typeof cli>, ...args: string[]) => {
    const address = me.address();
    const running = me.run('login', ...args);
    const page = followLogin(await address, signal);
    return { ended: await running, page: await page };
  };
  const idTokenOf = (config: CliConfig): string => {
    const credentials = config.contexts[0]?.credentials;
    return credentials?.kind === 'issuer' ? credentials.idToken : assert.fail();
  };

  it('by a browser on this machine: kept private, refreshed with new keys of the issuer, and ended at once', async () => {
    const me = cli('browser.yaml');
    const { ended, page } = await loginByBrowser(me, '--server', running.url, '--workspace', 'web');
    assert.equal(ended.code, 0, ended.err);
    assert.match(ended.err, /Logged in to http:\S+ as user alice/);
    assert.match(page.text, /Return to the terminal/);
    assert.equal((await stat(me.config)).mode & 0o777, 0o600);
    const kept = await me.read();
    assert.partialDeepStrictEqual(kept.contexts[0], { server: `${running.url}/`, workspace: 'web' });

    await oidc.rotateKeys();
    const who = await me.run('whoami', '-o', 'json');
    assert.equal(who.code, 0, who.err);
    assert.partialDeepStrictEqual(JSON.parse(who.out), { kind: 'user', id: 'alice', groups: ['dev'] });
    const fresh = await me.read();
    assert.notEqual(idTokenOf(fresh), idTokenOf(kept), 'a new one, as the old one was about to expire');
    assert.equal(fresh.currentContext, kept.currentContext);

    const token = bearer(idTokenOf(fresh));
    await call(running.server, 'GET /v1/access/identity', { headers: token, want: 200 });
    assert.equal((await me.run('logout')).code, 0);
    await call(running.server, 'GET /v1/access/identity', { headers: token, want: 401 });
    const out = await me.run('whoami');
    assert.deepEqual([out.code, out.out], [4, '']);
    assert.match(out.err, /run: fleetshift login/);
    assert.equal((await readFile(me.config, 'utf8')).includes('oken'), false);
    await writeFile(me.config, JSON.stringify(fresh), { mode: 0o600 });
    const again = await me.run('whoami');
    assert.equal(again.code, 4, `the refresh token was withdrawn too: ${again.err}`);
  });

  it('by a browser on another machine; what was issued ends when the user is logged out everywhere', async () => {
    const me = cli('device.yaml');
    const { ended, page } = await loginByBrowser(me, '--server', running.url, '--device', '--context', 'far');
    assert.equal(ended.code, 0, ended.err + page.text);
    assert.match(ended.err, /shows the code \w/);
    assert.equal((await me.read()).currentContext, 'far');
    const token = bearer(idTokenOf(await me.read()));
    await call(running.server, 'GET /v1/access/identity', { headers: token, want: 200 });
    const admin = join(folder, 'admin-token');
    await writeFile(admin, ADMIN_TOKEN);
    const revoked = await me.run('revoke-sessions', 'alice', '--server', running.url, '--token-file', admin);
    assert.deepEqual([revoked.code, revoked.out], [0, 'user/alice logged out everywhere: 0 sessions ended\n']);
    await call(running.server, 'GET /v1/access/identity', { headers: token, want: 401 });
    const second = Math.floor(Date.now() / 1000);
    while (Math.floor(Date.now() / 1000) === second) await new Promise((resolve) => setImmediate(resolve));
    assert.match((await me.run('whoami')).out, /^KIND +ID +GROUPS +SERVER\nuser +alice +dev +http/);
  });

  it('with the token of a service account, as scripts do', async () => {
    await call(running.server, 'POST /v1/workspaces/web/service-accounts', { body: { name: 'ci' }, want: 201 });
    const minted = await call(running.server, 'POST /v1/workspaces/web/service-accounts/ci/tokens', {
      body: {},
      want: 201,
    });
    const file = join(folder, 'token');
    await writeFile(file, `${minted.body.token}\n`);
    const me = cli('script.yaml');
    const ended = await me.run('login', '--server', running.url, '--token-file', file);
    assert.equal(ended.code, 0, ended.err);
    assert.match((await me.run('whoami')).out, /serviceAccount +web\/ci/);
    assert.ok(!ended.err.includes(minted.body.token.slice(21)));
    await call(running.server, `DELETE /v1/workspaces/web/service-accounts/ci/tokens/${minted.body.name}`, {
      want: 204,
    });
    assert.equal((await me.run('whoami')).code, 4);
  });

  it('with a one-time code, which an operator makes', async () => {
    const me = cli('once.yaml');
    const made = await me.run('admin-login', '--data', running.dataFolder);
    const code = /^ {2}(\S+)$/m.exec(made.out)?.[1] ?? assert.fail(made.err);
    assert.equal((await me.run('login', '--server', running.url, '--one-time', code)).code, 0);
    assert.match((await me.run('whoami')).out, /admin +admin/);
    const again = await me.run('login', '--server', running.url, '--one-time', code);
    assert.equal(again.code, 4);
    assert.match(again.err, /fleetshift admin-login/);
    const [context] = (await me.read()).contexts;
    const token = context?.credentials?.kind === 'token' ? context.credentials.token : assert.fail();
    assert.equal((await me.run('logout')).code, 0);
    await call(running.server, 'GET /v1/access/identity', { headers: bearer(token), want: 401 });
  });

  for (const { why, args, code, err } of [
    { why: 'two ways at once', args: ['--one-time', 'x', '--device'], code: 2, err: /choose one/ },
    { why: 'an issuer that is not there', args: ['--issuer', 'nobody'], code: 2, err: /issuers are: corp/ },
    { why: 'plain HTTP to elsewhere', args: ['--server', 'http://fleet.example.com'], code: 2, err: /use https/ },
    { why: 'a code that is wrong', args: ['--one-time', 'WRONG'], code: 4, err: /one-time code is unknown/ },
    {
      why: 'a platform that is not there',
      args: ['--server', 'http://127.0.0.1:1'],
      code: 6,
      err: /connection refused/,
    },
    { why: 'a token file that is not there', args: ['--token-file', '/nowhere/x'], code: 2, err: /no such file/ },
  ]) {
    it(`is refused: ${why}`, async () => {
      const me = cli('refused.yaml');
      const server = args.includes('--server') ? [] : ['--server', running.url];
      const ended = await me.run('login', ...server, ...args);
      assert.equal(ended.code, code, ended.err);
      assert.match(ended.err, err);
      await assert.rejects(stat(me.config), { code: 'ENOENT' });
    });
  }

  it('is refused while its issuer is away, which is not for want of a platform', async () => {
    const body = { name: 'away', url: 'http://127.0.0.1:1', clientId: 'x', cliClientId: 'y', mode: 'isolated' };
    await call(running.server, 'POST /v1/issuers', { body, want: 201 });
    const ended = await cli('away.yaml').run('login', '--server', running.url, '--issuer', 'away');
    await call(running.server, 'DELETE /v1/issuers/away', { want: 204 });
    assert.equal(ended.code, 6, ended.err);
    assert.match(ended.err, /the issuer away at http:\/\/127\.0\.0\.1:1: connection refused; ask its operators/);
    assert.doesNotMatch(ended.err, /serve|--server/);
  });

  it('never with a configuration that others can read', async () => {
    const me = cli('open.yaml');
    leaveAdminCode(running.dataFolder, Date.now());
    await me.run('whoami');
    await writeFile(me.config, 'version: 1\ncontexts: []\n', { mode: 0o644 });
    const ended = await me.run('whoami');
    assert.equal(ended.code, 1);
    assert.match(ended.err, /chmod 600/);
  });
});
