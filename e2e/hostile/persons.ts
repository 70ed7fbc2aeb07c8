import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { Platform } from '#testing/platform-process';
import { made } from '../access/callers.ts';

/** People who log in with tokens of an issuer. */
export interface Persons {
  tokenOf(user: string): Promise<string>;
  close(): void;
}

const CLIENT = 'platform';

/** An issuer, known to the platform, that signs any claims it is asked to. Its subjects are `user:NAME`. */
export async function knownPersons(platform: Platform): Promise<Persons> {
  const { publicKey, privateKey } = await generateKeyPair('RS256');
  const key = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256', use: 'sig' };
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(request.url === '/jwks' ? { keys: [key] } : documentOf(issuer)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await made(platform, '/v1/issuers', { name: 'corp', url: issuer, clientId: CLIENT, mode: 'inherited' });
  return {
    tokenOf: (user) =>
      new SignJWT({})
        .setProtectedHeader({ alg: 'RS256', kid: 'one', typ: 'JWT' })
        .setIssuer(issuer)
        .setAudience(CLIENT)
        .setSubject(user)
        .setIssuedAt()
        .setExpirationTime('10m')
        .sign(privateKey),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function documentOf(issuer: string): object {
  return {
    issuer,
    authorization_endpoint: `${issuer}/auth`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
  };
}
