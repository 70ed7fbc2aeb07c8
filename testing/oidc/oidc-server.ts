import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import Provider, { type Configuration } from 'oidc-provider';
import { MemoryStore } from './memory-store.ts';

export interface TestUser {
  readonly groups?: readonly string[];
  readonly email?: string;
}

export interface OidcServerOptions {
  /** Users by subject. */
  readonly users: Readonly<Record<string, TestUser>>;
  /** Redirect URIs of the confidential client `platform`. */
  readonly redirectUris: readonly string[];
  readonly tls?: { readonly key: string; readonly cert: string };
  /** Validity of its identity tokens, in seconds. */
  readonly tokenSeconds?: number;
}

export interface OidcServer {
  readonly url: string;
  readonly platformClient: { readonly id: string; readonly secret: string };
  /** The public client of a CLI: loopback redirects on any port, and the device flow. */
  readonly cliClient: string;
  /** From now on, every login is as this user. */
  loginAs(user: string): void;
  /** Signs with a new key from now on; the old one disappears from its published keys. */
  rotateKeys(): Promise<void>;
  /** How often its keys were requested. */
  readonly keyRequests: number;
  /** Stops answering at this path until `resume`. */
  pause(path: string): void;
  resume(): void;
  close(): Promise<void>;
}

const CLI_CLIENT = 'cli';

/** A real OpenID provider on loopback: requires PKCE, supports the device flow, and asks for no passwords. */
export async function startOidcServer(options: OidcServerOptions): Promise<OidcServer> {
  const platformClient = { id: 'platform', secret: randomBytes(24).toString('base64url') };
  const store = new MemoryStore();
  const cookieKeys = [randomBytes(24).toString('base64url')];
  const state = {
    user: Object.keys(options.users)[0] ?? 'nobody',
    keyRequests: 0,
    paused: undefined as string | undefined,
  };
  const server = options.tls ? createTlsServer(options.tls) : createServer();
  const url = await listen(server, options.tls ? 'https' : 'http');
  const make = async (): Promise<Provider> => {
    const keys = [await newKey()];
    const provider = new Provider(
      url,
      configuration({ ...options, store, keys, cookieKeys, platformSecret: platformClient.secret }),
    );
    provider.on('server_error', (_context: unknown, error: unknown) => console.error('oidc-provider:', error));
    return provider;
  };
  let provider = await make();
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (request.url === state.paused) return void request.socket.destroy();
    if (request.url === '/jwks') state.keyRequests += 1;
    if (request.url?.startsWith('/interaction/')) {
      interact(provider, state.user, { request, response }).catch(() => response.destroy());
      return;
    }
    provider
      .callback()(request, response)
      .catch(() => response.destroy());
  });
  return {
    url,
    platformClient,
    cliClient: CLI_CLIENT,
    loginAs: (user) => void (state.user = user),
    rotateKeys: async () => void (provider = await make()),
    get keyRequests() {
      return state.keyRequests;
    },
    pause: (path) => void (state.paused = path),
    resume: () => void (state.paused = undefined),
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

interface Made extends OidcServerOptions {
  readonly store: MemoryStore;
  readonly keys: readonly JWK[];
  readonly cookieKeys: readonly string[];
  readonly platformSecret: string;
}

function configuration(made: Made): Configuration {
  const { users, redirectUris, store, keys, cookieKeys, platformSecret, tokenSeconds = 300 } = made;
  return {
    adapter: (model) => store.adapter(model),
    jwks: { keys: [...keys] },
    cookies: { keys: [...cookieKeys] },
    clients: [
      {
        client_id: 'platform',
        client_secret: platformSecret,
        redirect_uris: [...redirectUris],
        grant_types: ['authorization_code'],
      },
      {
        client_id: CLI_CLIENT,
        application_type: 'native',
        token_endpoint_auth_method: 'none',
        redirect_uris: ['http://127.0.0.1/callback'],
        grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
      },
    ],
    pkce: { required: () => true },
    features: {
      devInteractions: { enabled: false },
      deviceFlow: { enabled: true },
      revocation: { enabled: true },
    },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    scopes: ['openid', 'offline_access', 'profile', 'email'],
    claims: { openid: ['sub'], profile: ['groups'], email: ['email'] },
    // Puts the claims that an access token could fetch into the identity token as well, because the platform reads only
    // that.
    conformIdTokenClaims: false,
    issueRefreshToken: async (_context, client) => client.grantTypeAllowed('refresh_token'),
    ttl: {
      IdToken: tokenSeconds,
      AccessToken: tokenSeconds,
      Interaction: 600,
      Session: 600,
      Grant: 600,
      DeviceCode: 600,
      RefreshToken: 600,
    },
    findAccount: async (_context, sub) => {
      const user = users[sub];
      return user && { accountId: sub, claims: async () => ({ ...user, sub, groups: [...(user.groups ?? [])] }) };
    },
  };
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Consents to everything, in the name of the user. */
async function interact(provider: Provider, accountId: string, { request, response }: Exchange): Promise<void> {
  try {
    const { prompt, params, grantId } = await provider.interactionDetails(request, response);
    if (prompt.name === 'login') {
      await provider.interactionFinished(request, response, { login: { accountId } });
      return;
    }
    const grant =
      (grantId && (await provider.Grant.find(grantId))) ||
      new provider.Grant({ accountId, clientId: String(params['client_id']) });
    grant.addOIDCScope(String(params['scope']));
    await provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } });
  } catch (error) {
    response.writeHead(500).end(error instanceof Error ? error.message : 'failed');
  }
}

async function newKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  return { ...(await exportJWK(privateKey)), kid: randomBytes(6).toString('hex'), use: 'sig', alg: 'RS256' };
}

async function listen(server: Server, scheme: string): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
