import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseResourceName } from '#kit/std';
import { IdentityError } from './identity-error.ts';
import { MODES } from './issuer.ts';
import { type MappedClaims, type User, userOf } from './subject.ts';

const NAMES = ['corp', 'a', 'system', 'corp-a'].map(parseResourceName);
/** A small set of adversarial names, so that collisions occur. */
const text = fc.oneof(
  fc.constantFrom(
    'alice',
    'corp:alice',
    'a:alice',
    ':alice',
    'corp-a:alice',
    'corp',
    'a:',
    '',
    'al\nice',
    'Corp:alice',
  ),
  fc.string({ maxLength: 6 }),
);
const issuer = fc.record({ name: fc.constantFrom(...NAMES), mode: fc.constantFrom(...MODES) });
const claims = fc.record({ username: text, groups: fc.array(text), sharedGroups: fc.array(text) });

describe('the subjects of an issuer', () => {
  it('are never those of another one, unless both are inherited', () => {
    fc.assert(
      fc.property(issuer, claims, issuer, claims, (one, oneSays, two, twoSays) => {
        const [a, b] = [userIfAny(one, oneSays), userIfAny(two, twoSays)];
        if (a === undefined || b === undefined || one.name === two.name) return;
        if (a.id === b.id) assert.deepEqual([one.mode, two.mode], ['inherited', 'inherited']);
        const own = (of: typeof one, user: User): string[] =>
          of.mode === 'inherited' ? [] : user.groups.filter((group) => group.startsWith(`${of.name}:`));
        for (const group of own(one, a)) assert.ok(!b.groups.includes(group), group);
      }),
      { numRuns: 2_000 },
    );
  });

  it('are in groups of the instance only by an inherited issuer, or by what a federated one shares', () => {
    fc.assert(
      fc.property(issuer, claims, (by, says) => {
        const shared = userIfAny(by, says)?.groups.filter((group) => !group.startsWith(`${by.name}:`)) ?? [];
        const allowed: readonly string[] = { inherited: says.groups, isolated: [], federated: says.sharedGroups }[
          by.mode
        ];
        for (const group of shared) assert.ok(allowed.includes(group), group);
      }),
    );
  });

  it('have names of one line, and each group once', () => {
    fc.assert(
      fc.property(issuer, claims, (by, says) => {
        const user = userIfAny(by, says);
        if (user === undefined) return;
        assert.equal(new Set(user.groups).size, user.groups.length);
        for (const name of [user.id, ...user.groups]) assert.ok(name !== '' && !/\p{Cc}/u.test(name));
      }),
    );
  });
});

/** `undefined` for a refused user. */
function userIfAny(by: Parameters<typeof userOf>[0], says: MappedClaims): User | undefined {
  try {
    return userOf(by, says);
  } catch (error) {
    assert.ok(error instanceof IdentityError && error.code === 'SUBJECT_REFUSED', String(error));
    return undefined;
  }
}
