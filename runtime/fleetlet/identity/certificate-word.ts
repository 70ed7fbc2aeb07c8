import { randomUUID, sign } from 'node:crypto';
import type { IdentityStore } from './identity-store.ts';

const LIFE_S = 60;

/**
 * A token that proves possession of our certificate's key, valid for one use within a minute. Used where TLS does not
 * request a client certificate, or where ours has expired. Same format as `signCertificateToken` of kit/pki, but
 * synchronous, and without loading modules that a long-enrolled process does not need.
 */
export function certificateWord({ identity, key }: IdentityStore, audience: string, now: number): string | undefined {
  if (identity === undefined) return undefined;
  const issuedAt = Math.floor(now / 1000);
  const header = { alg: 'ES256', x5c: [identity.certificate.raw.toString('base64')] };
  const claims = { aud: audience, jti: randomUUID(), iat: issuedAt, exp: issuedAt + LIFE_S };
  const signed = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
}
