import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

/** An issuer that has no login: it signs what it is told to, for whatever audience. */
export interface SigningIssuer {
  readonly url: string;
  sign(claims: {
    readonly sub: string;
    readonly aud: string | readonly string[];
    readonly groups?: readonly string[];
  }): Promise<string>;
  close(): Promise<void>;
}

const KEY = 'key-1';

/** On loopback. */
export async function startSigningIssuer(tls?: {
  readonly key: string;
  readonly cert: string;
}): Promise<SigningIssuer> {
  const { publicKey, privateKey } = await generateKeyPair('RS256');
  const jwk = { ...(await exportJWK(publicKey)), kid: KEY, alg: 'RS256', use: 'sig' };
  const server = tls === undefined ? createServer() : createTlsServer(tls);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const metadata = {
    issuer: url,
    authorization_endpoint: `${url}/auth`,
    token_endpoint: `${url}/token`,
    jwks_uri: `${url}/jwks`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
  };
  const answers: Readonly<Record<string, object>> = {
    '/.well-known/openid-configuration': metadata,
    '/jwks': { keys: [jwk] },
  };
  server.on('request', (request, response) => {
    const answer = answers[request.url ?? ''];
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer ?? {}));
  });
  return {
    url,
    sign: async ({ sub, aud, groups = [] }) =>
      await new SignJWT({ groups: [...groups] })
        .setProtectedHeader({ alg: 'RS256', kid: KEY, typ: 'JWT' })
        .setIssuer(url)
        .setSubject(sub)
        .setAudience(typeof aud === 'string' ? aud : [...aud])
        .setIssuedAt()
        .setExpirationTime('5m')
        .sign(privateKey),
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
