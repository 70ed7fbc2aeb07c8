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

test('whatever the platform says, nobody is impersonated without the prefix', () => {
  fc.assert(
    fc.property(impersonate, fc.constantFrom('all' as const, 'roles' as const), (identity, which) => {
      let headers: Readonly<Record<string, string | readonly string[]>> = {};
      try {
        headers = impersonationHeaders(identity, which);
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
  assert.deepEqual(impersonationHeaders(identity, 'roles')['impersonate-group'], ['fleetshift:role:viewer']);
});
