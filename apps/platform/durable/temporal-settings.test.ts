import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { issueAuthorityCertificate } from '#kit/pki';
import { readTemporalCredentials, type TemporalConfig } from './temporal-settings.ts';

const API_KEY = 'a-key-that-no-message-may-show';
const SERVER = { engine: 'temporal', server: { address: 'temporal.test:7233', namespace: 'fleet' } } as const;
const PLAIN: TemporalConfig = {
  durable: SERVER,
  temporalTls: false,
  temporalCa: undefined,
  temporalCert: undefined,
  temporalKey: undefined,
  temporalServerName: undefined,
  temporalApiKeyFile: undefined,
};

describe('readTemporalCredentials', () => {
  let folder: string;
  const file = (name: string): string => join(folder, name);
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fleetshift-temporal-settings-'));
    const [one, other] = [newKey(), newKey()];
    const hour = 3_600_000;
    const authority = { name: 'a test', key: one };
    const certificate = issueAuthorityCertificate(authority, new Date(), new Date(Date.now() + hour));
    await Promise.all([
      writeFile(file('tls.crt'), certificate),
      writeFile(file('tls.key'), pemOf(one)),
      writeFile(file('other.key'), pemOf(other)),
      writeFile(file('api-key'), `${API_KEY}\n`),
      writeFile(file('no-key'), `${API_KEY} and more\n`),
      writeFile(file('empty'), ''),
    ]);
  });
  after(() => rm(folder, { recursive: true }));

  it('connects without TLS where no setting asks for it', () => {
    assert.deepEqual(readTemporalCredentials(PLAIN), {});
  });

  it('connects over TLS, with the authorities of the system, as soon as one setting asks for it', () => {
    assert.deepEqual(readTemporalCredentials({ ...PLAIN, temporalTls: true }), { tls: {} });
    assert.deepEqual(readTemporalCredentials({ ...PLAIN, temporalServerName: 'a.test' }), {
      tls: { serverName: 'a.test' },
    });
    const { tls, apiKey } = readTemporalCredentials({ ...PLAIN, temporalApiKeyFile: file('api-key') });
    assert.deepEqual(tls, {});
    assert.equal(apiKey?.reveal(), API_KEY);
    assert.doesNotMatch(JSON.stringify({ apiKey }), new RegExp(API_KEY));
  });

  it('reads authority and client certificate', () => {
    const config = {
      ...PLAIN,
      temporalCa: file('tls.crt'),
      temporalCert: file('tls.crt'),
      temporalKey: file('tls.key'),
    };
    const { tls } = readTemporalCredentials(config);
    assert.match(Buffer.from(tls?.ca ?? []).toString(), /BEGIN CERTIFICATE/);
    assert.match(Buffer.from(tls?.certificate?.cert ?? []).toString(), /BEGIN CERTIFICATE/);
    assert.match(Buffer.from(tls?.certificate?.key ?? []).toString(), /BEGIN PRIVATE KEY/);
  });

  for (const { why, config, code } of [
    { why: 'a missing authority', config: { temporalCa: 'gone' }, code: 'CERTIFICATE_UNUSABLE' },
    { why: 'an authority without a certificate', config: { temporalCa: 'empty' }, code: 'CERTIFICATE_UNUSABLE' },
    {
      why: 'the key of another certificate',
      config: { temporalCert: 'tls.crt', temporalKey: 'other.key' },
      code: 'CERTIFICATE_UNUSABLE',
    },
    { why: 'a missing API key', config: { temporalApiKeyFile: 'gone' }, code: 'API_KEY_UNUSABLE' },
    { why: 'an empty API key', config: { temporalApiKeyFile: 'empty' }, code: 'API_KEY_UNUSABLE' },
    { why: 'what no header may carry', config: { temporalApiKeyFile: 'no-key' }, code: 'API_KEY_UNUSABLE' },
  ]) {
    it(`refuses ${why}, and quotes nothing of it`, () => {
      const files = Object.fromEntries(Object.entries(config).map(([name, value]) => [name, file(value)]));
      assert.throws(
        () => readTemporalCredentials({ ...PLAIN, ...files }),
        (error: Error & { code: string }) => error.code === code && !error.message.includes(API_KEY),
      );
    });
  }
});

function newKey(): KeyObject {
  return generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey;
}

function pemOf(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}
