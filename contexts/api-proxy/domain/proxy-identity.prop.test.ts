import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  identityText,
  impersonationHeaders,
  PROXY_ROLES,
  type ProxyIdentity,
  parseIdentity,
} from './proxy-identity.ts';

const words = fc.string({ unit: 'grapheme' }).filter((text) => text.isWellFormed());
const impersonate = fc.record(
  {
    kind: fc.constant('impersonate' as const),
    user: words.filter((text) => text !== ''),
    groups: fc.array(fc.oneof(fc.constant('system:masters'), words)),
    role: fc.constantFrom(...PROXY_ROLES),
  },
  { noNullPrototype: true },
);
const impersonations = fc.record({
  users: fc.oneof(
    fc.constant('all' as const),
    fc.array(words).map((names) => new Set(names)),
  ),
  groups: fc.constantFrom('all' as const, 'roles' as const),
});
const identities: fc.Arbitrary<ProxyIdentity> = fc.oneof(impersonate, fc.constant({ kind: 'passthrough' } as const));

test('what is told arrives, in letters that a header can carry', () => {
  fc.assert(
    fc.property(identities, (identity) => {
      const text = identityText(identity);
      assert.match(text, /^[\x21-\x7e]+$/);
      assert.deepEqual(parseIdentity(text), identity);
    }),
  );
});

test('whatever the platform says, no user is impersonated without the prefix', () => {
  fc.assert(
    fc.property(impersonate, impersonations, (identity, impersonation) => {
      let headers: Readonly<Record<string, string | readonly string[]>> = {};
      try {
        headers = impersonationHeaders(identity, impersonation);
      } catch (error) {
        assert.equal((error as { code?: unknown }).code, 'CALLER_NOT_NAMEABLE');
      }
      for (const value of Object.values(headers).flat()) {
        assert.ok(value.startsWith('fleetshift:'));
        assert.equal(value, value.trim());
      }
    }),
  );
});

test('what is no identity is none', () => {
  for (const text of ['', '%', '{}', identityText({ kind: 'other' } as unknown as ProxyIdentity)]) {
    assert.equal(parseIdentity(text), undefined, text);
  }
  const odd = { kind: 'impersonate', user: 'a', groups: [1], role: 'admin' } as unknown as ProxyIdentity;
  assert.equal(parseIdentity(identityText(odd)), undefined);
  const lofty = { kind: 'impersonate', user: 'a', groups: [], role: 'owner' } as unknown as ProxyIdentity;
  assert.equal(parseIdentity(identityText(lofty)), undefined);
});

test('of an agent that may not impersonate groups the role remains', () => {
  const identity = { kind: 'impersonate', user: 'user:a', groups: ['b'], role: 'viewer' } as const;
  const headers = impersonationHeaders(identity, { users: 'all', groups: 'roles' });
  assert.deepEqual(headers['impersonate-group'], ['fleetshift:role:viewer']);
});

const CI = { kind: 'impersonate', user: 'serviceAccount:shop/ci', groups: [], role: 'deployer' } as const;
const EXTRA = 'impersonate-extra-fleetshift.io%2fuser';

test('a caller who is no user of the cluster is the shared one, and named by the extra field', () => {
  const headers = impersonationHeaders(CI, { users: new Set(['user:alice']), groups: 'roles' });
  assert.deepEqual(headers, {
    'impersonate-user': 'fleetshift:caller',
    'impersonate-group': ['fleetshift:role:deployer'],
    [EXTRA]: 'fleetshift:serviceAccount:shop/ci',
  });
});

test('a caller who is a user of the cluster is named as one, which takes no right to the extra field', () => {
  for (const users of ['all', new Set(['serviceAccount:shop/ci'])] as const) {
    const headers = impersonationHeaders(CI, { users, groups: 'roles' });
    assert.equal(headers['impersonate-user'], 'fleetshift:serviceAccount:shop/ci');
    assert.equal(EXTRA in headers, false);
  }
});

test('of no user of the cluster but those that were named', () => {
  fc.assert(
    fc.property(impersonate, fc.uniqueArray(words), (identity, users) => {
      fc.pre(identity.user.trim() === identity.user && !/\p{Cc}/u.test(identity.user));
      const headers = impersonationHeaders(identity, { users: new Set(users), groups: 'roles' });
      const allowed = ['fleetshift:caller', ...users.map((user) => `fleetshift:${user}`)];
      assert.ok(allowed.includes(String(headers['impersonate-user'])));
    }),
  );
});
