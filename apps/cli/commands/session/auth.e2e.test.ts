import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { freshDatabase, type TestDatabase } from '#testing/databases';
import { followLogin } from '#testing/oidc/follow-login';
import { type OidcServer, startOidcServer } from '#testing/oidc/oidc-server';
import { call } from '../../../../contexts/identity/testing/call.ts';
import { type IdentityServer, startIdentityServer } from '../../../../contexts/identity/testing/identity-server.ts';
import type { CommandEntry } from '../../commands.ts';
import { runCli } from '../../run-cli.ts';
import { auth } from './auth.ts';
import { login } from './login.ts';

const COMMANDS: readonly CommandEntry[] = Object.entries({ auth, login }).map(([name, command]) => ({
  name,
  summary: name,
  load: async () => command,
}));
const signal = new AbortController().signal;

interface Credential {
  readonly apiVersion: string;
  readonly status: { readonly token: string; readonly expirationTimestamp?: string };
}

describe('fleetshift auth token', () => {
  let database: TestDatabase;
  let running: IdentityServer;
  let oidc: OidcServer;
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fleetshift-auth-'));
    database = await freshDatabase('sqlite');
    running = await startIdentityServer(database);
    // So short that it is refreshed each time.
    oidc = await startOidcServer({ users: { alice: {} }, redirectUris: [running.url], tokenSeconds: 45 });
    const { platformClient, cliClient: cliClientId, url } = oidc;
    const client = { clientId: platformClient.id, clientSecret: platformClient.secret, cliClientId };
    await call(running.server, 'POST /v1/issuers', {
      body: { name: 'corp', url, ...client, mode: 'inherited' },
      want: 201,
    });
  });
  after(async () => {
    await oidc.close();
    await running.close();
    await database.dispose();
    await rm(folder, { recursive: true, force: true });
  });

  const run = async (args: readonly string[], more: Readonly<Record<string, string>> = {}) => {
    const told = { out: '', err: '' };
    const opened = Promise.withResolvers<string>();
    const io = {
      out: (text: string) => void (told.out += text),
      err: (text: string) => {
        told.err += text;
        const url = /^ {2}(http\S+)$/m.exec(told.err)?.[1];
        if (url !== undefined) opened.resolve(url);
      },
      errIsTerminal: false,
      environment: { FLEETSHIFT_CONFIG: join(folder, 'config.yaml'), ...more },
    };
    const ended = runCli(args, { commands: COMMANDS, io }, signal);
    if (args[0] === 'login') await followLogin(await opened.promise, signal);
    return { code: await ended, ...told };
  };
  const credential = async (args: readonly string[], more?: Readonly<Record<string, string>>): Promise<Credential> => {
    const { code, out, err } = await run(['auth', 'token', ...args], more);
    assert.equal(code, 0, err);
    return JSON.parse(out) as Credential;
  };

  it('shows the login of a context, refreshed, and when it ends', async () => {
    assert.equal((await run(['login', '--server', running.url, '--context', 'work'])).code, 0);
    const kept = (): Promise<string> => readFile(join(folder, 'config.yaml'), 'utf8');
    const before = await kept();
    const first = await credential(['--context', 'work']);
    const after = await kept();
    assert.notEqual(after, before, 'it was about to end, so it was refreshed');
    assert.ok(after.includes(first.status.token), 'what was refreshed is kept');
    assert.equal(first.apiVersion, 'client.authentication.k8s.io/v1');
    const ends = Date.parse(first.status.expirationTimestamp ?? '');
    assert.ok(ends > Date.now() && ends < Date.now() + 60_000, `${ends}`);
    const info = JSON.stringify({
      apiVersion: 'client.authentication.k8s.io/v1beta1',
      kind: 'ExecCredential',
      spec: {},
    });
    const second = await credential([], { KUBERNETES_EXEC_INFO: info });
    assert.equal(second.apiVersion, 'client.authentication.k8s.io/v1beta1');
  });

  it('shows a token that was given, as it is', async () => {
    const file = join(folder, 'token');
    await writeFile(file, 'fst_something\n');
    const shown = await credential(['--server', 'https://elsewhere.example.com', '--token-file', file]);
    assert.deepEqual(shown.status, { token: 'fst_something' });
  });

  const refused = [
    { why: 'nobody is logged in there', args: ['token', '--server', 'https://elsewhere.example.com'], code: 4 },
    { why: 'there is no such context', args: ['token', '--context', 'none'], code: 3 },
    { why: 'there is nothing else to show', args: ['login'], code: 2 },
    { why: 'it takes no names', args: ['token', 'prod-1'], code: 2 },
    { why: 'the credentials are of another time', args: ['token'], info: '{"apiVersion":"v9"}', code: 2 },
  ];
  for (const { why, args, info = '', code } of refused) {
    it(`says so when ${why}`, async () => {
      const ended = await run(['auth', ...args], info === '' ? {} : { KUBERNETES_EXEC_INFO: info });
      assert.deepEqual([ended.code, ended.out], [code, ''], ended.err);
    });
  }
});
