import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser, withoutBrowser } from '#testing/browser';
import { freshDatabase, type TestDatabase } from '#testing/databases';
import { type OidcServer, startOidcServer } from '#testing/oidc/oidc-server';
import { call } from '../../../contexts/identity/testing/call.ts';
import { type IdentityServer, startIdentityServer } from '../../../contexts/identity/testing/identity-server.ts';
import { ownCertificate } from '../../platform/tls/own-certificate.ts';
import { login } from '../commands/session/login.ts';
import { whoami } from '../commands/session/whoami.ts';

const signal = new AbortController().signal;

describe('logging in over TLS, with authorities of one’s own', { skip: withoutBrowser() }, () => {
  let folder: string;
  let ca: string;
  let database: TestDatabase;
  let running: IdentityServer;
  let oidc: OidcServer;
  let browser: Browser;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fleetshift-tls-login-'));
    const source = ownCertificate({ folder: join(folder, 'tls'), names: ['localhost', '127.0.0.1'] });
    const { chain: cert, key: secret } = source.current(Date.now());
    const key = secret.reveal();
    ca = source.authorityFile ?? assert.fail();
    database = await freshDatabase('sqlite');
    running = await startIdentityServer(database, { tls: { cert, key } });
    const redirectUris = [`${running.url}/v1/login/callback`];
    oidc = await startOidcServer({ users: { alice: {} }, redirectUris, tls: { cert, key } });
    const { platformClient, cliClient: cliClientId, url } = oidc;
    const issuer = { name: 'corp', url, clientId: platformClient.id, clientSecret: platformClient.secret, cliClientId };
    const body = { ...issuer, mode: 'inherited', ca: await readFile(ca, 'utf8') };
    await call(running.server, 'POST /v1/issuers', { body, want: 201 });
    browser = await launchBrowser();
  });
  after(async () => {
    await browser.close();
    await oidc.close();
    await running.close();
    await database.dispose();
    await rm(folder, { recursive: true, force: true });
  });

  const withPage = async (body: (page: Page) => Promise<void>): Promise<void> => {
    const context = await browser.newContext({ ignoreHTTPSErrors: true });
    try {
      await body(await context.newPage());
    } finally {
      await context.close();
    }
  };

  it('in a browser: the cookie is for this host and for TLS alone', async () => {
    await withPage(async (page) => {
      await page.goto(`${running.url}/v1/login/corp`);
      await page.getByRole('heading', { name: 'You are logged in' }).waitFor();
      const cookies = await page.context().cookies(running.url);
      const session = cookies.find(({ name }) => name === '__Host-fleetshift-session');
      assert.deepEqual([session?.secure, session?.httpOnly, session?.sameSite], [true, true, 'Lax']);
      await page.getByRole('button', { name: 'Log out' }).click();
      await page.getByRole('heading', { name: 'Log in to FleetShift' }).waitFor();
    });
  });

  it('with the CLI, which keeps the authority', async () => {
    const told = { out: '', err: '' };
    const opened = Promise.withResolvers<string>();
    const io = {
      out: (text: string) => void (told.out += text),
      err: (text: string) => {
        told.err += text;
        const url = /^ {2}(https:\S+)$/m.exec(told.err)?.[1];
        if (url !== undefined) opened.resolve(url);
      },
      errIsTerminal: false,
      environment: { FLEETSHIFT_CONFIG: join(folder, 'config.yaml') },
    };
    const ended = login.run(['--server', running.url, '--ca-file', ca], io, signal);
    await withPage(async (page) => {
      await page.goto(await opened.promise);
      await page.getByRole('heading', { name: 'Return to the terminal' }).waitFor();
      assert.equal(await ended, 0);
    });
    assert.equal(await whoami.run([], io, signal), 0);
    assert.match(told.out, /user +alice/);
    await writeFile(join(folder, 'other.yaml'), '', { mode: 0o600 });
    const without = { ...io, environment: { FLEETSHIFT_CONFIG: join(folder, 'other.yaml') } };
    await assert.rejects(login.run(['--server', running.url], without, signal), { code: 'SERVER_NOT_TRUSTED' });
  });
});
