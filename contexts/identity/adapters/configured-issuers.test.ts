import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { configuredIssuers } from './configured-issuers.ts';
import { ClaimExpressions } from './oidc/claim-expressions.ts';

const PEM = '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----';
const FILES: Readonly<Record<string, string>> = { '/etc/secret': 'hush\n', '/etc/ca.pem': `${PEM}\n` };
const ISSUER = { name: 'corp', url: 'https://corp.example', clientId: 'fleet', mode: 'isolated' };

function read(raw: unknown) {
  const readText = (file: string): string => FILES[file] ?? assert.fail(`${file} is not there`);
  return configuredIssuers(raw, { language: new ClaimExpressions(), readText, now: 5 });
}

test('issuers of the configuration are the same at every start, and their secrets do not show', () => {
  const raw = [{ ...ISSUER, clientSecretFile: '/etc/secret', caFile: '/etc/ca.pem' }];
  const [issuer = assert.fail()] = read(raw);
  assert.equal(issuer.source, 'configuration');
  assert.equal(issuer.ca, PEM);
  assert.equal(issuer.clientSecret?.kind === 'given' && issuer.clientSecret.secret.reveal(), 'hush');
  assert.ok(!inspect(issuer, { depth: 9 }).includes('hush'));
  assert.deepEqual([read(raw)[0]?.uid, read(raw)[0]?.name], [issuer.uid, 'corp']);
});

for (const { why, raw, at } of [
  { why: 'no list', raw: ISSUER, at: '' },
  { why: 'something else', raw: [1], at: '/0' },
  { why: 'a mode that does not exist', raw: [{ ...ISSUER, mode: 'friendly' }], at: '/0/mode' },
  { why: 'a field that does not exist', raw: [{ ...ISSUER, colour: 'red' }], at: '/0' },
  { why: 'plain HTTP', raw: [ISSUER, { ...ISSUER, name: 'b', url: 'http://b.example' }], at: '/1/url' },
  { why: 'a bad expression', raw: [{ ...ISSUER, claims: { groups: '1' } }], at: '/0/claims/groups' },
  { why: 'a name twice', raw: [ISSUER, { ...ISSUER, url: 'https://b.example' }], at: '/1/name' },
  { why: 'an address twice', raw: [ISSUER, { ...ISSUER, name: 'b' }], at: '/1/url' },
  { why: 'a file that is not there', raw: [{ ...ISSUER, caFile: '/nowhere' }], at: '/0/caFile' },
]) {
  test(`refused: ${why}`, () => {
    assert.throws(
      () => read(raw),
      (error: { code?: string; faults?: { path: string }[] }) => {
        assert.equal(error.code, 'INVALID_ISSUER');
        assert.ok(error.faults?.[0]?.path.startsWith(at), JSON.stringify(error.faults));
        return true;
      },
    );
  });
}
