import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { launchBrowser, withoutBrowser } from '#testing/browser';
import { freshDatabase, type TestDatabase } from '#testing/databases';
import { type OidcServer, startOidcServer } from '#testing/oidc/oidc-server';
import { call } from '../../testing/call.ts';
import { type IdentityServer, startIdentityServer } from '../../testing/identity-server.ts';
import { leaveAdminCode } from '../index.ts';

const ME = '/v1/access/identity';

describe('logging in with a browser', { skip: withoutBrowser() }, () => {
  let database: TestDatabase;
  let running: IdentityServer;
  let oidc: OidcServer;
  let browser: Browser;
  before(async () => {
    database = await freshDatabase('sqlite');
    running = await startIdentityServer(database);
    const users = { alice: { groups: ['dev', 'ops'] }, bob: {} };
    oidc = await startOidcServer({ users, redirectUris: [`${running.url}/v1/login/callback`] });
    const { id: clientId, secret: clientSecret } = oidc.platformClient;
    const issuer = {
      name: 'corp',
      displayName: 'Corp & <Sons>',
      url: oidc.url,
      clientId,
      clientSecret,
      mode: 'isolated',
    };
    await call(running.server, 'POST /v1/issuers', { body: issuer, want: 201 });
    browser = await launchBrowser();
  });
  after(async () => {
    await browser.close();
    await oidc.close();
    await running.close();
    await database.dispose();
  });

  /** In a separate browser context, with separate cookies. */
  const withPage = async (body: (page: Page, context: BrowserContext) => Promise<void>): Promise<void> => {
    const context = await browser.newContext();
    try {
      const page = await context.newPage();
      page.setDefaultTimeout(20_000);
      await body(page, context);
    } finally {
      await context.close();
    }
  };
  const login = async (page: Page, query = ''): Promise<void> => {
    await page.goto(`${running.url}/login${query}`);
    await page.getByRole('link', { name: 'Corp & <Sons>' }).click();
  };
  const ask = async (page: Page): Promise<{ status: number; body: Record<string, unknown> }> =>
    await page.evaluate(async (path) => {
      const answer = await fetch(path);
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
    }, ME);

  test('gives a session of the user, with the groups that the issuer tells', async () => {
    oidc.loginAs('alice');
    await withPage(async (page, context) => {
      await login(page);
      await page.getByRole('heading', { name: 'You are logged in' }).waitFor();
      const { status, body } = await ask(page);
      assert.equal(status, 200, JSON.stringify(body));
      assert.partialDeepStrictEqual(body, { kind: 'user', id: 'corp:alice', groups: ['corp:dev', 'corp:ops'] });
      const cookies = await context.cookies(running.url);
      const session = cookies.find(({ name }) => name === 'fleetshift-session');
      assert.deepEqual([session?.httpOnly, session?.sameSite, session?.path], [true, 'Lax', '/']);
    });
  });

  test('goes on with new keys of the issuer', async () => {
    const fetched = oidc.keyRequests;
    await oidc.rotateKeys();
    await withPage(async (page) => {
      await login(page);
      await page.getByRole('heading', { name: 'You are logged in' }).waitFor();
      assert.partialDeepStrictEqual((await ask(page)).body, { id: 'corp:alice' });
    });
    assert.equal(oidc.keyRequests, fetched + 1);
  });

  test('ends with a logout, at once, also for whoever kept the cookie', async () => {
    await withPage(async (page, context) => {
      await login(page);
      await page.getByRole('heading', { name: 'You are logged in' }).waitFor();
      const kept = await context.cookies(running.url);
      await page.getByRole('button', { name: 'Log out' }).click();
      await page.getByRole('heading', { name: 'Log in to FleetShift' }).waitFor();
      assert.equal((await ask(page)).status, 401);
      await context.addCookies(kept);
      assert.equal((await ask(page)).status, 401);
    });
  });

  test('ends when somebody logs the user out everywhere', async () => {
    oidc.loginAs('bob');
    await withPage(async (page) => {
      await login(page);
      await page.getByRole('heading', { name: 'You are logged in' }).waitFor();
      const body = { user: 'corp:bob' };
      const revoked = await call(running.server, 'POST /v1/sessions:revoke', { body, want: 200 });
      assert.deepEqual(revoked.body, { sessions: 1 });
      assert.equal((await ask(page)).status, 401);
    });
  });

  test('leads back to where it began, and never elsewhere', async () => {
    await withPage(async (page) => {
      await login(page, `?returnTo=${encodeURIComponent('/healthz?from=login')}`);
      await page.waitForURL(`${running.url}/healthz?from=login`);
      await page.goto(`${running.url}/v1/login/corp?returnTo=${encodeURIComponent('//evil.example/x')}`);
      await page.waitForURL(`${running.url}/login?outcome=done`);
    });
  });

  test('says what to do when it comes to nothing', async () => {
    await withPage(async (page) => {
      await page.goto(`${running.url}/v1/login/nobody`);
      await page.getByRole('alert').filter({ hasText: 'does not know that issuer' }).waitFor();
      await page.goto(`${running.url}/v1/login/callback?code=x&state=y`);
      await page.getByRole('alert').filter({ hasText: 'took too long' }).waitFor();
      await page.goto(`${running.url}/v1/login/corp`);
      await page.goto(`${running.url}/v1/login/callback?code=x&state=y`);
      await page.getByRole('alert').filter({ hasText: 'did not confirm' }).waitFor();
    });
  });

  test('says so when the issuer went away meanwhile', async () => {
    await withPage(async (page) => {
      oidc.pause('/token');
      await login(page);
      await page.getByRole('alert').filter({ hasText: 'cannot be reached' }).waitFor();
      oidc.resume();
      assert.equal(running.log.at('warn').at(-1)?.fields.name, 'corp');
      assert.equal(running.log.at('error').length, 0);
    });
  });

  test('works with a one-time code, once', async () => {
    const { code } = leaveAdminCode(running.dataFolder, Date.now());
    const redeem = async (page: Page): Promise<void> => {
      await page.goto(`${running.url}/login`);
      await page.getByLabel('One-time code of an administrator').fill(code);
      await page.getByRole('button', { name: 'Log in with the code' }).click();
    };
    await withPage(async (page) => {
      await redeem(page);
      await page.getByRole('heading', { name: 'You are logged in' }).waitFor();
      assert.partialDeepStrictEqual((await ask(page)).body, { kind: 'admin', id: 'admin' });
      await redeem(page);
      await page.getByRole('alert').filter({ hasText: 'was used before' }).waitFor();
    });
  });
});
