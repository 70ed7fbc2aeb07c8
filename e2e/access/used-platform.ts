import assert from 'node:assert/strict';
import { leaveAdminCode } from '#contexts/identity/adapters';
import { launchBrowser, withoutBrowser } from '#testing/browser';
import { type OidcServer, startOidcServer } from '#testing/oidc/oidc-server';
import type { Platform, PlatformHome } from '#testing/platform-process';
import { addCaller, ask, made, STAFF } from './callers.ts';

/** The secrets used on a platform, which must not be found anywhere, and the credentials that must still work. */
export interface Used {
  readonly oidc: OidcServer;
  readonly secrets: Readonly<Record<string, string>>;
  /** Tokens that are still valid, by the caller they belong to. */
  readonly tokens: Readonly<Record<string, string>>;
}

const ME = '/v1/access/identity';

/** Logs in and out in each way, creates and rotates tokens, and makes mistakes that a log might repeat. */
export async function usePlatform(platform: Platform, home: PlatformHome): Promise<Used> {
  const oidc = await startOidcServer({
    users: { alice: { groups: ['dev'] } },
    redirectUris: [`${platform.url}/v1/login/callback`],
  });
  const { platformClient, cliClient: cliClientId } = oidc;
  const clientSecret = platformClient.secret;
  const client = { clientId: platformClient.id, clientSecret, cliClientId };
  await made(platform, '/v1/issuers', { name: 'corp', url: oidc.url, mode: 'inherited', ...client });
  await made(platform, '/v1/workspaces', { name: STAFF });
  await made(platform, '/v1/workspaces/root/grants', { subject: { kind: 'user', id: 'alice' }, role: 'viewer' });

  const { token } = await addCaller(platform, { name: 'robot', given: [{ role: 'viewer', on: 'workspaces/root' }] });
  const tokens = `/v1/workspaces/${STAFF}/service-accounts/robot/tokens`;
  const rotated = await made(platform, `${tokens}/${token.split('_')[1]}:rotate`, { overlap: '1h' });
  const revoked = await made(platform, tokens, { displayName: 'soon gone' });
  assert.equal((await platform.request(`${tokens}/${String(revoked['name'])}`, { method: 'DELETE' })).status, 204);

  const bootstrap = await made(platform, `/v1/workspaces/${STAFF}/bootstrap-tokens`, {});
  await platform.request('/v1/enroll', { method: 'POST', body: { token: bootstrap['token'], csr: 'nonsense' } });

  const kubeconfig = await leaveKubeconfig(platform);

  const { code } = leaveAdminCode(home.data, Date.now());
  const session = await redeem(platform, code);
  const ended = await redeem(platform, leaveAdminCode(home.data, Date.now()).code);
  assert.equal((await ask(platform, ended, '/v1/logout', { method: 'POST' })).status, 204);
  const cookie = withoutBrowser() === false ? await browserSession(platform) : undefined;

  // Credentials in the wrong places, from where they might end up in a log.
  await ask(platform, `${token}x`, ME);
  await platform.request(`/v1/workspaces?token=${token}`);
  for (const secret of [session, token]) await ask(platform, token, `/v1/workspaces/${secret}`);
  await platform.request('/v1/issuers', { method: 'POST', body: { clientSecret, name: 7 } });
  await platform.request('/v1/login:redeem', { method: 'POST', body: { code, kind: 'cli' } });
  await platform.request(`${tokens}`, { method: 'POST', body: {}, headers: { 'idempotency-key': 'once' } });
  return {
    oidc,
    tokens: { robot: token, 'robot, rotated': String(rotated['token']), administrator: session },
    secrets: {
      'admin token': platform.token,
      'client secret': clientSecret,
      'token of a service account': token,
      'rotated token': String(rotated['token']),
      'revoked token': String(revoked['token']),
      // The secret itself may contain an underscore: it is everything after the second one.
      'secret of a token': token.split('_').slice(2).join('_'),
      'bootstrap token': String(bootstrap['token']),
      'secret of a bootstrap token': String(bootstrap['token']).split('_').slice(2).join('_'),
      'token of a kubeconfig': kubeconfig,
      'one-time code': code,
      'session of a CLI': session,
      'ended session': ended,
      ...(cookie === undefined ? {} : { 'session of a browser': cookie }),
    },
  };
}

/** Stores a kubeconfig that leads nowhere, and one that cannot be used. */
async function leaveKubeconfig(platform: Platform): Promise<string> {
  const token = 'kubeconfig-token-0123456789abcdef';
  await made(platform, '/v1/targets', { name: 'nowhere', type: 'kubernetes', workspace: STAFF });
  const document = {
    'current-context': 'c',
    clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1' } }],
    users: [{ name: 'u', user: { token } }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
  };
  const put = (text: string) =>
    platform.request('/v1/targets/nowhere/kubeconfig', { method: 'PUT', body: { kubeconfig: text } });
  assert.equal((await put(JSON.stringify(document))).status, 201);
  assert.equal((await put(`token: ${token}\n: [`)).status, 400);
  return token;
}

async function redeem(platform: Platform, code: string): Promise<string> {
  const answer = await platform.request('/v1/login:redeem', { method: 'POST', body: { code, kind: 'cli' } });
  const { token } = (await answer.json()) as { token?: string };
  return token ?? assert.fail(`${answer.status}`);
}

/** The session cookie a browser gets after a login at the issuer. */
async function browserSession({ url }: Platform): Promise<string> {
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage();
    await page.goto(`${url}/v1/login/corp`);
    await page.waitForURL(/outcome=done/);
    const cookies = await page.context().cookies(url);
    return cookies.find(({ name }) => name.includes('session'))?.value ?? assert.fail(JSON.stringify(cookies));
  } finally {
    await browser.close();
  }
}
