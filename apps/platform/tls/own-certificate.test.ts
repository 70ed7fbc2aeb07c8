import assert from 'node:assert/strict';
import { createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, get } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { PlatformError } from '../platform-error.ts';
import type { ServerCertificate } from './certificate-source.ts';
import { givenCertificate } from './given-certificate.ts';
import { firstAuthority, ownCertificate } from './own-certificate.ts';

const NAMES = ['localhost', '127.0.0.1', '::1', 'fleet.example'];
const DAY = 86_400_000;
const NOW = Date.now();

test('a client that trusts the authority is served under every name', async (t) => {
  const folder = temporaryFolder(t);
  const source = ownCertificate({ folder, names: NAMES });
  const port = await serve(t, source.current(NOW));
  const ca = readFileSync(source.authorityFile ?? '', 'utf8');
  for (const servername of ['localhost', 'fleet.example']) assert.equal(await fetchFrom({ port, servername, ca }), 200);
  assert.equal(await fetchFrom({ port, ca }), 200, 'by its address');
  await assert.rejects(fetchFrom({ port, servername: 'other.example', ca }), { code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
  await assert.rejects(fetchFrom({ port, servername: 'localhost' }), 'a client that does not trust it');
});

test('the authority signs servers only, and its key is for us alone', (t) => {
  const folder = temporaryFolder(t);
  const served = new X509Certificate(ownCertificate({ folder, names: NAMES }).current(NOW).chain);
  const authority = new X509Certificate(readFileSync(join(folder, 'ca.crt')));
  assert.equal(authority.ca, true);
  assert.equal(served.ca, false);
  assert.ok(served.checkIssued(authority));
  assert.deepEqual(served.keyUsage, ['1.3.6.1.5.5.7.3.1']);
  for (const file of ['ca.key', 'server.pem']) assert.equal(statSync(join(folder, file)).mode & 0o777, 0o600, file);
});

const kept: { why: string; later: number; names?: string[]; same: boolean }[] = [
  { why: 'a second start keeps it', later: 0, same: true },
  { why: 'it is kept for the first two thirds of its life', later: 59 * DAY, same: true },
  { why: 'it is renewed in the last third', later: 61 * DAY, same: false },
  { why: 'it is renewed when it expired', later: 400 * DAY, same: false },
  { why: 'it is renewed when the clock was set back', later: -DAY, same: false },
  { why: 'it is renewed for a new name', later: 0, names: [...NAMES, 'new.example'], same: false },
];

for (const { why, later, names = NAMES, same } of kept) {
  test(why, (t) => {
    const folder = temporaryFolder(t);
    const before = ownCertificate({ folder, names: NAMES }).current(NOW);
    const authority = readFileSync(join(folder, 'ca.crt'), 'utf8');
    const after = ownCertificate({ folder, names }).current(NOW + later);
    assert.equal(after.chain === before.chain, same);
    assert.ok(after.notAfter.getTime() > NOW + later);
    assert.equal(readFileSync(join(folder, 'ca.crt'), 'utf8'), authority, 'nobody has to trust anything anew');
  });
}

for (const { why, content } of [
  { why: 'nothing in it', content: () => '' },
  { why: 'no key', content: ({ chain }: ServerCertificate) => chain },
  { why: 'no certificate', content: ({ key }: ServerCertificate) => key.reveal() },
  {
    why: 'the key of another',
    content: ({ chain }: ServerCertificate, other: ServerCertificate) => chain + other.key.reveal(),
  },
]) {
  test(`a server file with ${why} is replaced`, (t) => {
    const folder = temporaryFolder(t);
    const source = ownCertificate({ folder, names: NAMES });
    const before = source.current(NOW);
    writeFileSync(join(folder, 'server.pem'), content(before, pairIn(folder, 'other')));
    const { chain, key } = source.current(NOW);
    assert.notEqual(chain, before.chain);
    assert.ok(new X509Certificate(chain).checkPrivateKey(createPrivateKey(key.reveal())));
  });
}

test('an authority whose certificate was not written before a crash gets one', (t) => {
  const folder = temporaryFolder(t);
  const source = ownCertificate({ folder, names: NAMES });
  source.current(NOW);
  const key = readFileSync(join(folder, 'ca.key'), 'utf8');
  rmSync(join(folder, 'ca.crt'));
  const served = new X509Certificate(source.current(NOW).chain);
  assert.ok(served.checkIssued(new X509Certificate(readFileSync(join(folder, 'ca.crt')))));
  assert.equal(readFileSync(join(folder, 'ca.key'), 'utf8'), key);
});

const damaged: { why: string; file: string; content?: string; later?: number }[] = [
  { why: 'a damaged authority', file: 'ca.crt', content: 'nonsense' },
  { why: 'a damaged authority key', file: 'ca.key', content: 'nonsense' },
  { why: 'a lost authority key', file: 'ca.key' },
  { why: 'an expired authority', file: 'server.pem', later: 3_651 * DAY },
];

for (const { why, file, content, later = 0 } of damaged) {
  test(`refused: ${why}, as a new one has to be trusted by every client`, (t) => {
    const folder = temporaryFolder(t);
    const source = ownCertificate({ folder, names: NAMES });
    source.current(NOW);
    if (content === undefined) rmSync(join(folder, file));
    else writeFileSync(join(folder, file), content);
    assert.throws(() => source.current(NOW + later), isUnusable);
  });
}

test('given files are read anew each time', (t) => {
  const folder = temporaryFolder(t);
  const [first, second] = [pairIn(folder, 'a'), pairIn(folder, 'b')];
  const source = givenCertificate({ certificateFile: join(folder, 'crt'), keyFile: join(folder, 'key') });
  write(folder, first);
  assert.equal(source.current(NOW).chain, first.chain);
  write(folder, second);
  assert.equal(source.current(NOW).chain, second.chain);
});

const wrong: { why: string; chain?: string; key?: string; later?: number }[] = [
  { why: 'no certificate', chain: '' },
  { why: 'no key', key: 'nonsense' },
  { why: 'the key of another', key: 'other' },
  { why: 'expired', later: 91 * DAY },
];

for (const { why, chain, key, later = 0 } of wrong) {
  test(`refused: given files with ${why}`, (t) => {
    const folder = temporaryFolder(t);
    const [pair, other] = [pairIn(folder, 'a'), pairIn(folder, 'b')];
    write(folder, pair);
    if (chain !== undefined) writeFileSync(join(folder, 'crt'), chain);
    if (key !== undefined) writeFileSync(join(folder, 'key'), key === 'other' ? other.key.reveal() : key);
    const source = givenCertificate({ certificateFile: join(folder, 'crt'), keyFile: join(folder, 'key') });
    assert.throws(() => source.current(NOW + later), isUnusable);
  });
}

test('refused: given files that are not there', (t) => {
  const folder = temporaryFolder(t);
  const source = givenCertificate({ certificateFile: join(folder, 'crt'), keyFile: join(folder, 'key') });
  assert.throws(() => source.current(NOW), isUnusable);
});

function isUnusable(error: unknown): boolean {
  return error instanceof PlatformError && error.code === 'CERTIFICATE_UNUSABLE';
}

function pairIn(folder: string, name: string): ServerCertificate {
  return ownCertificate({ folder: join(folder, name), names: NAMES }).current(NOW);
}

function write(folder: string, { chain, key }: ServerCertificate): void {
  writeFileSync(join(folder, 'crt'), chain);
  writeFileSync(join(folder, 'key'), key.reveal());
}

function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'fleetshift-tls-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function serve(t: TestContext, { chain, key }: ServerCertificate): Promise<number> {
  const server = createServer({ cert: chain, key: key.reveal() }, (_, response) => response.end());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return (server.address() as AddressInfo).port;
}

async function fetchFrom(target: { port: number; servername?: string; ca?: string }): Promise<number | undefined> {
  const request = get({ host: '127.0.0.1', agent: false, ...target });
  const [response] = await once(request, 'response');
  response.resume();
  return response.statusCode;
}

suite('the authority that replicas will share', () => {
  test('is the one of the folder, which clients trust', (t) => {
    const folder = temporaryFolder(t);
    ownCertificate({ folder, names: NAMES }).current(NOW);
    const adopted = firstAuthority(folder, NOW);
    assert.equal(adopted.certificate, readFileSync(join(folder, 'ca.crt'), 'utf8'));
    assert.equal(adopted.key, readFileSync(join(folder, 'ca.key'), 'utf8'));
  });

  test('is a new one where the folder has none, or only the certificate of one that was shared', (t) => {
    const folder = temporaryFolder(t);
    const first = firstAuthority(folder, NOW);
    writeFileSync(join(folder, 'ca.crt'), first.certificate);
    assert.notEqual(firstAuthority(folder, NOW).certificate, first.certificate);
  });

  const unusable: readonly { why: string; later?: number; spoil: (folder: string) => void }[] = [
    { why: 'a key of another authority', spoil: (folder) => writeFileSync(join(folder, 'ca.key'), anotherKey()) },
    { why: 'a key that cannot be read', spoil: (folder) => writeFileSync(join(folder, 'ca.key'), 'no key') },
    { why: 'a certificate that cannot be read', spoil: (folder) => writeFileSync(join(folder, 'ca.crt'), 'nothing') },
    {
      why: 'the certificate of a server',
      spoil: (folder) => {
        const served = readFileSync(join(folder, 'server.pem'), 'utf8');
        const [chain = '', key = ''] = served.split(/(?=-----BEGIN PRIVATE KEY-----)/);
        writeFileSync(join(folder, 'ca.crt'), chain);
        writeFileSync(join(folder, 'ca.key'), key);
      },
    },
    { why: 'one that has expired', later: 4_000 * DAY, spoil: () => {} },
  ];
  for (const { why, later = 0, spoil } of unusable) {
    test(`is refused before it is stored for all: ${why}`, (t) => {
      const folder = temporaryFolder(t);
      ownCertificate({ folder, names: NAMES }).current(NOW);
      spoil(folder);
      assert.throws(() => firstAuthority(folder, NOW + later), isUnusable);
    });
  }
});

function anotherKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}
