import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { PkiError } from './pki-error.ts';
import { createSigningRequest, readSigningRequest } from './signing-request.ts';

const KEYS: Readonly<Record<string, () => KeyObject>> = {
  'P-256': () => generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey,
  'P-384': () => generateKeyPairSync('ec', { namedCurve: 'secp384r1' }).privateKey,
  Ed25519: () => generateKeyPairSync('ed25519').privateKey,
  'RSA 2048': () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey,
};

for (const [kind, make] of Object.entries(KEYS)) {
  test(`a request with ${kind} gives back its key`, () => {
    const key = make();
    assert.ok(readSigningRequest(createSigningRequest(key, 'somebody')).equals(createPublicKey(key)));
  });
}

/** Made by `openssl req -new`, with names that the requester has no right to. */
const BY_OPENSSL = `-----BEGIN CERTIFICATE REQUEST-----
MIH4MIGeAgEAMBIxEDAOBgNVBAMMB29wZW5zc2wwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAASb6/8HxMxBD0quuU0MOxZuuBhGDuUP/0zX3y0hAxbgQhKjulbVS2pX
xU4h+SMfLomSZqziQRBJXlVnfO0TJvJ/oCowKAYJKoZIhvcNAQkOMRswGTAXBgNV
HREEEDAOggxldmlsLmV4YW1wbGUwCgYIKoZIzj0EAwIDSQAwRgIhANhGke4bfhwq
D5ixT6UP61inPzqzox0Ojuh/jWt5rURaAiEA2nR+bSr5kPQzdvRa2ciqeFM/p1wm
1crnL1tSM80BW+M=
-----END CERTIFICATE REQUEST-----
`;
const RSA_1024 = `-----BEGIN CERTIFICATE REQUEST-----
MIIBTjCBuAIBADAPMQ0wCwYDVQQDDAR3ZWFrMIGfMA0GCSqGSIb3DQEBAQUAA4GN
ADCBiQKBgQC+l1mgx7ZTMiccE9q3PNrdaPzlyd2Bouix0/7VHht1yoM0Wfb67USA
OjXsAbJjN8mup9wmXzRubBZTwboqEnoM+BL6f5FJKRANWvQkpAMV0KUZFgPTwX5G
UY+ui3jYekXYTA27srJISR2SWdspLIzxxlwdEHU2jvJ2HomKhhNGiQIDAQABoAAw
DQYJKoZIhvcNAQELBQADgYEAgWzeM35zO+glVpAY/WI+wGa4QFZoDx/mdQFuiFUo
oT8XFWa6xoeCRPAR8sWe1mrKE9moFMkZxADvV9ojnxdrnCKzTUYiee/6vbptcm1l
xtFYWLyftH8HH0IvMf4mmHTLwNQPhGRga22tnlE5Y8z+I+UlD0GeflvZFodcNg0s
59s=
-----END CERTIFICATE REQUEST-----
`;
const SECP256K1 = `-----BEGIN CERTIFICATE REQUEST-----
MIHFMG0CAQAwDjEMMAoGA1UEAwwDb2RkMFYwEAYHKoZIzj0CAQYFK4EEAAoDQgAE
k1kGLFfF0wZoF32pCYnYElhR9+MpPEhM7n75xdKdemnYx16cWDcgTUN98EIPxf+Z
8EOP2aiXFHLKmT/e29k1paAAMAoGCCqGSM49BAMCA0gAMEUCIHcIxWcTrgIc50V9
k33g9huh/xC/w0emWQZUIuZMfRhvAiEA6FmB9vtmsywq+818VCBEUH2NoQZeR447
zFEvkw3yF5k=
-----END CERTIFICATE REQUEST-----
`;

test('a request of another program is read', () => {
  assert.equal(readSigningRequest(BY_OPENSSL).asymmetricKeyDetails?.namedCurve, 'prime256v1');
});

for (const { why, pem, code } of [
  { why: 'no PEM', pem: 'nonsense', code: 'REQUEST_MALFORMED' },
  {
    why: 'PEM of something else',
    pem: BY_OPENSSL.replaceAll('CERTIFICATE REQUEST', 'CERTIFICATE'),
    code: 'REQUEST_MALFORMED',
  },
  { why: 'PEM of nothing', pem: BY_OPENSSL.replace(/\n[^-]+\n-/, '\nAAAA\n-'), code: 'REQUEST_MALFORMED' },
  { why: 'a very long one', pem: BY_OPENSSL.replace('\n', `\n${'\n'.repeat(20_000)}`), code: 'REQUEST_MALFORMED' },
  { why: 'a weak key', pem: RSA_1024, code: 'KEY_REFUSED' },
  { why: 'an odd curve', pem: SECP256K1, code: 'KEY_REFUSED' },
]) {
  test(`refused: ${why}`, () => {
    assert.throws(
      () => readSigningRequest(pem),
      (error: unknown) => error instanceof PkiError && error.code === code,
    );
  });
}

test('a request in which any bit was changed gives no other key, and nothing else is thrown', () => {
  const { privateKey, publicKey: key } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const pem = createSigningRequest(privateKey, 'x');
  const lines = pem.trim().split('\n');
  const der = Buffer.from(lines.slice(1, -1).join(''), 'base64');
  fc.assert(
    fc.property(fc.nat(der.length * 8 - 1), (bit) => {
      const changed = Buffer.from(der);
      const at = bit >> 3;
      changed[at] = (changed[at] ?? 0) ^ (1 << (bit & 7));
      const text = [lines[0], changed.toString('base64'), lines.at(-1)].join('\n');
      // The bytes around the signed part can be encoded in more than one way.
      assert.ok(keyOrRefusal(text)?.equals(key) ?? true);
    }),
    { numRuns: 300 },
  );
});

function keyOrRefusal(pem: string): KeyObject | undefined {
  try {
    return readSigningRequest(pem);
  } catch (error) {
    if (error instanceof PkiError) return undefined;
    throw error;
  }
}
