import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

export const SIGNING_ALGORITHMS = ['RS256', 'ES256'] as const;
export type SigningAlgorithm = (typeof SIGNING_ALGORITHMS)[number];

export interface BearerIssuer {
  readonly url: string;
  readonly clientId: string;
  /** For that subject, without a login. */
  token(subject: string, options?: { readonly alg?: SigningAlgorithm; readonly seconds?: number }): Promise<string>;
  close(): Promise<void>;
}

const CLIENT = 'fleet';

/** An issuer as far as bearer tokens need one: metadata, keys, and tokens for the asking. On loopback, without TLS. */
export async function startBearerIssuer(): Promise<BearerIssuer> {
  const pairs = new Map<SigningAlgorithm, Awaited<ReturnType<typeof generateKeyPair>>>();
  for (const alg of SIGNING_ALGORITHMS) pairs.set(alg, await generateKeyPair(alg));
  const keys = await Promise.all(
    Array.from(pairs, async ([alg, { publicKey }]) => ({ ...(await exportJWK(publicKey)), alg, kid: alg, use: 'sig' })),
  );
  const server = createServer(({ url: path }, response) => {
    const metadata = { issuer: url, jwks_uri: `${url}/keys`, authorization_endpoint: `${url}/auth` };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(path === '/keys' ? { keys } : metadata));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    clientId: CLIENT,
    token: async (subject, { alg = 'RS256', seconds = 600 } = {}) => {
      const pair = pairs.get(alg);
      if (pair === undefined) throw new TypeError(`no key for ${alg}`);
      const now = Math.floor(Date.now() / 1000);
      return await new SignJWT({ iss: url, sub: subject, aud: CLIENT, iat: now, exp: now + seconds })
        .setProtectedHeader({ alg, kid: alg })
        .sign(pair.privateKey);
    },
    close: async () => {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const ORDER_OF_P256 = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/** Other texts that say the same, if one reads them as most decoders and every ECDSA verifier do. */
export function otherSpellings(token: string, alg: SigningAlgorithm): string[] {
  const [header = '', payload = '', signature = ''] = token.split('.');
  const spellings = Array.from(BASE64URL, (last) => `${signature.slice(0, -1)}${last}`).filter(
    (each) => each !== signature && Buffer.from(each, 'base64url').equals(Buffer.from(signature, 'base64url')),
  );
  if (alg === 'ES256') spellings.push(withOtherRoot(signature));
  return spellings.map((each) => [header, payload, each].join('.'));
}

/** Where (r, s) is a signature, (r, n - s) is one of the same. */
function withOtherRoot(signature: string): string {
  const bytes = Buffer.from(signature, 'base64url');
  const s = BigInt(`0x${bytes.subarray(32).toString('hex')}`);
  const other = Buffer.from((ORDER_OF_P256 - s).toString(16).padStart(64, '0'), 'hex');
  return Buffer.concat([bytes.subarray(0, 32), other]).toString('base64url');
}
