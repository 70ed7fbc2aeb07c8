import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync, type KeyObject, X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { SignJWT } from 'jose';
import { readCertificateToken, signCertificateToken } from './certificate-token.ts';
import { issuePeerCertificate } from './issue-certificate.ts';
import { PkiError } from './pki-error.ts';

const NOW = Date.UTC(2030, 0, 1);
const MINUTE = 60_000;
const authority = { name: 'authority', key: generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey };
const ed25519 = generateKeyPairSync('ed25519').privateKey;
const own = pair(generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey);
const other = pair(generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey);
const order = { ...own, audience: 'here', id: 'one', now: NOW };

test('says whose it is, its id, and until when that has to be remembered', async () => {
  const read = await readCertificateToken(await signCertificateToken(order), { audience: 'here', now: NOW });
  assert.ok(read.certificate.raw.equals(own.certificate.raw));
  assert.deepEqual([read.id, read.until], ['one', NOW + 6 * MINUTE]);
});

test('is signed by keys of other kinds as well', async () => {
  const token = await signCertificateToken({ ...order, ...pair(ed25519) });
  assert.equal((await readCertificateToken(token, { audience: 'here', now: NOW })).id, 'one');
});

const refusals: { why: string; token: () => Promise<string>; later?: number }[] = [
  { why: 'no token', token: async () => 'nonsense' },
  { why: 'a long text', token: async () => `${await signCertificateToken(order)}${'x'.repeat(20_000)}` },
  { why: 'for something else', token: () => signCertificateToken({ ...order, audience: 'there' }) },
  { why: 'signed by another key', token: () => signCertificateToken({ ...order, key: other.key }) },
  { why: 'too old', token: () => signCertificateToken(order), later: 7 * MINUTE },
  { why: 'from the future', token: () => signCertificateToken(order), later: -6 * MINUTE },
  { why: 'without an id', token: () => signCertificateToken({ ...order, id: '' }) },
  { why: 'with an id that is too long', token: () => signCertificateToken({ ...order, id: 'x'.repeat(129) }) },
  {
    why: 'one that wants to live for ever, from long ago',
    token: () => jwt({ iat: NOW / 1000 - 3_600, exp: NOW / 1000 + 3_600 }),
  },
  { why: 'without a certificate', token: () => jwt({ iat: NOW / 1000, exp: NOW / 1000 + 60 }, false) },
  {
    why: 'one that is not signed at all',
    token: async () => {
      const [, payload] = (await signCertificateToken(order)).split('.');
      const x5c = [own.certificate.raw.toString('base64')];
      return `${Buffer.from(JSON.stringify({ alg: 'none', x5c })).toString('base64url')}.${payload}.`;
    },
  },
];

for (const { why, token, later = 0 } of refusals) {
  test(`refused: ${why}`, async () => {
    await assert.rejects(
      readCertificateToken(await token(), { audience: 'here', now: NOW + later }),
      (error: unknown) => error instanceof PkiError && error.code === 'TOKEN_REFUSED',
    );
  });
}

function pair(key: KeyObject): { key: KeyObject; certificate: X509Certificate } {
  const pem = issuePeerCertificate(authority, {
    name: 'x',
    uri: 'x://y',
    dnsName: 'x.example',
    publicKey: createPublicKey(key),
    notBefore: new Date(NOW),
    notAfter: new Date(NOW + 3_600_000),
  });
  return { key, certificate: new X509Certificate(pem) };
}

async function jwt(times: { iat: number; exp: number }, withCertificate = true): Promise<string> {
  const x5c = [own.certificate.raw.toString('base64')];
  return await new SignJWT({ ...times, aud: 'here', jti: 'one' })
    .setProtectedHeader({ alg: 'ES256', ...(withCertificate ? { x5c } : {}) })
    .sign(own.key);
}
