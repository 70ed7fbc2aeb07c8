import assert from 'node:assert/strict';
import { test } from 'node:test';
import { execCredential, execVersion, expiryOf } from './exec-credential.ts';

const jwt = (payload: object): string => `x.${Buffer.from(JSON.stringify(payload)).toString('base64url')}.y`;

test('the version that was asked for, the newest where nobody asked, none that is not known', () => {
  const asked = (version: string): string | undefined =>
    execVersion(JSON.stringify({ apiVersion: `client.authentication.k8s.io/${version}`, kind: 'ExecCredential' }));
  assert.equal(execVersion(undefined), 'client.authentication.k8s.io/v1');
  assert.equal(asked('v1beta1'), 'client.authentication.k8s.io/v1beta1');
  for (const unknown of [asked('v2'), execVersion('{}'), execVersion('nonsense'), execVersion('1')]) {
    assert.equal(unknown, undefined);
  }
});

test('when a token ends, if it says so', () => {
  assert.equal(expiryOf(jwt({ exp: 1_800_000_000.5 })), '2027-01-15T08:00:00Z');
  for (const token of ['fst_abc', jwt({}), jwt({ exp: '1' }), jwt({ exp: 1e300 }), 'a.!.c']) {
    assert.equal(expiryOf(token), undefined, token);
  }
});

test('a credential without an expiry has no word of it', () => {
  assert.deepEqual(execCredential('v', 't'), { apiVersion: 'v', kind: 'ExecCredential', status: { token: 't' } });
});
