import { randomUUID, sign } from 'node:crypto';
import type { IdentityStore } from './identity-store.ts';

const LIFE_S = 60;

/**
 * A word of whoever has the key of our certificate, good for one use within a minute: where TLS does not ask for a
 * certificate, or not for one that has expired. The same as `signCertificateToken` of kit/pki makes, without a wait,
 * and without the modules that a process which has been enrolled for long does not need.
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
