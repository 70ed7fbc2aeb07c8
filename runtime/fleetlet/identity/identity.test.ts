import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { chmodSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { issuePeerCertificate, readCertificateToken } from '#kit/pki';
import { FleetletError } from '../fleetlet-error.ts';
import { certificateWord } from './certificate-word.ts';
import { chooseKey, IdentityStore, type KeyPair } from './identity-store.ts';

async function aFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'fleetshift-identity-'));
  t.after(() => rm(folder, { recursive: true }));
  return join(folder, 'deep', 'data');
}

function certificateFor(publicKey: IdentityStore['key']): string {
  const authority = { name: 'test', key: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey };
  const [notBefore, notAfter] = [new Date(Date.now() - 1_000), new Date(Date.now() + 60_000)];
  const order = { name: 'f', uri: 'fleetshift://fleetlet/f', dnsName: 'f.example', publicKey, notBefore, notAfter };
  return issuePeerCertificate(authority, order);
}

const pairFor = (key: IdentityStore['key']): KeyPair => ({
  key,
  pem: certificateFor(createPublicKey(key)),
  platform: FACTS,
});
const FACTS = { fleetlet: 'f', endpoints: { grpc: 'fleet.example:8702' } };
const isUnusable = (error: unknown): boolean => error instanceof FleetletError && error.code === 'IDENTITY_UNUSABLE';

suite('who a fleetlet is', () => {
  test('is kept over starts, with files that only it can read', async (t) => {
    const folder = await aFolder(t);
    const first = new IdentityStore(folder);
    assert.equal(first.identity, undefined);
    first.save(pairFor(first.key));
    const second = new IdentityStore(folder);
    assert.equal(second.keyPem, first.keyPem);
    assert.deepEqual(second.identity?.platform, FACTS);
    assert.equal(statSync(folder).mode & 0o777, 0o700);
    assert.deepEqual(readdirSync(folder).toSorted(), ['certificate.pem', 'key.pem', 'platform.json']);
    for (const name of readdirSync(folder)) assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600, name);
  });

  test('an endpoint that cannot be used is set aside: of an enrolment, of a session, and on disk', async (t) => {
    const folder = await aFolder(t);
    const unusable: string[] = [];
    const store = new IdentityStore(folder, (endpoint) => unusable.push(endpoint));
    const platform = { ...FACTS, endpoints: { ...FACTS.endpoints, websocket: 'ws://in-the-clear' } };
    store.save({ ...pairFor(store.key), platform });
    store.saveReplicas([{ grpc: 'two.example' }, { grpc: 'three.example:8702' }]);
    assert.deepEqual(unusable, ['ws://in-the-clear', 'two.example']);
    const want = { ...FACTS.endpoints, replicas: [{ grpc: 'three.example:8702' }] };
    assert.deepEqual(store.identity?.platform.endpoints, want);

    const stored = { fleetlet: 'f', endpoints: { ...want, websocket: 'nonsense' } };
    writeFileSync(join(folder, 'platform.json'), JSON.stringify(stored));
    const next = new IdentityStore(folder, (endpoint) => unusable.push(endpoint));
    assert.deepEqual(next.identity?.platform.endpoints, want);
    assert.equal(unusable.at(-1), 'nonsense');
  });

  test('a key that others could read is not used', async (t) => {
    const folder = await aFolder(t);
    new IdentityStore(folder);
    chmodSync(join(folder, 'key.pem'), 0o644);
    assert.throws(() => new IdentityStore(folder), isUnusable);
  });

  test('a certificate of another key is neither kept nor used', async (t) => {
    const folder = await aFolder(t);
    const store = new IdentityStore(folder);
    const other = certificateFor(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey);
    assert.throws(() => store.save({ ...pairFor(store.key), pem: other }), isUnusable);
    writeFileSync(join(folder, 'certificate.pem'), other);
    assert.throws(() => new IdentityStore(folder), isUnusable);
  });

  test('what cannot be read is said, with what to do', async (t) => {
    const folder = await aFolder(t);
    new IdentityStore(folder);
    writeFileSync(join(folder, 'certificate.pem'), 'no certificate');
    assert.throws(() => new IdentityStore(folder), /restore it, or remove the files/);
  });

  test('a folder that cannot be made is said', () => {
    assert.throws(
      () => new IdentityStore('/dev/null/data'),
      (error) => {
        return error instanceof FleetletError && error.code === 'DATA_FOLDER_UNUSABLE';
      },
    );
  });
});

test('of the keys that are there, the one that the certificate is of counts', () => {
  for (const [why, fitting, want] of [
    ['no renewal under way, or one whose answer has not come', ['current'], 'current'],
    ['an end after the certificate was replaced, and before its key was', ['next'], 'next'],
    ['a renewal with the same key', ['current', 'next'], 'current'],
    ['another certificate was put there', [], 'none'],
  ] as const) {
    assert.equal(
      chooseKey((key) => fitting.some((each) => each === key)),
      want,
      why,
    );
  }
});

suite('a word by the key of the certificate', () => {
  test('is read by whoever reads such, for what it is for, and has an id of its own', async (t) => {
    const store = new IdentityStore(await aFolder(t));
    assert.equal(certificateWord(store, '/x', Date.now()), undefined, 'nobody yet');
    store.save(pairFor(store.key));
    const now = Date.now();
    const [one, two] = [certificateWord(store, '/x', now), certificateWord(store, '/x', now)];
    assert.ok(one !== undefined && two !== undefined);
    const read = await readCertificateToken(one, { audience: '/x', now });
    assert.equal(read.certificate.fingerprint256, store.identity?.certificate.fingerprint256);
    assert.notEqual(read.id, (await readCertificateToken(two, { audience: '/x', now })).id);
    await assert.rejects(readCertificateToken(one, { audience: '/y', now }));
  });
});
