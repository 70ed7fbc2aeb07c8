import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

export const SIGNING_ALGORITHMS = ['RS256', 'ES256'] as const;
export type SigningAlgorithm = (typeof SIGNING_ALGORITHMS)[number];

/** An issuer without a login: it signs any claims it is given, for any audience. */
export interface SigningIssuer {
  readonly url: string;
  sign(claims: {
    readonly sub: string;
    readonly aud: string | readonly string[];
    readonly groups?: readonly string[];
    readonly alg?: SigningAlgorithm;
    /** Time until it expires. */
    readonly seconds?: number;
  }): Promise<string>;
  close(): Promise<void>;
}

/** Listens on loopback. */
export async function startSigningIssuer(tls?: {
  readonly key: string;
  readonly cert: string;
}): Promise<SigningIssuer> {
  const pairs = { RS256: await generateKeyPair('RS256'), ES256: await generateKeyPair('ES256') };
  const keys = await Promise.all(
    SIGNING_ALGORITHMS.map(async (alg) => ({ ...(await exportJWK(pairs[alg].publicKey)), alg, kid: alg, use: 'sig' })),
  );
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
    id_token_signing_alg_values_supported: [...SIGNING_ALGORITHMS],
  };
  const answers: Readonly<Record<string, object>> = {
    '/.well-known/openid-configuration': metadata,
    '/jwks': { keys },
  };
  server.on('request', (request, response) => {
    const answer = answers[request.url ?? ''];
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer ?? {}));
  });
  return {
    url,
    sign: async ({ sub, aud, groups = [], alg = 'RS256', seconds = 300 }) =>
      await new SignJWT({ groups: [...groups] })
        .setProtectedHeader({ alg, kid: alg, typ: 'JWT' })
        .setIssuer(url)
        .setSubject(sub)
        .setAudience(typeof aud === 'string' ? aud : [...aud])
        .setIssuedAt()
        .setExpirationTime(`${seconds}s`)
        .sign(pairs[alg].privateKey),
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
