import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { negotiate } from './negotiate.ts';

const OURS = { version: 5, oldestVersion: 3 };

describe('the version that two ends speak', () => {
  const agreed = [
    { why: 'the same', theirs: { version: 5, oldestVersion: 3 }, want: 5 },
    { why: 'an older one, two releases back', theirs: { version: 3, oldestVersion: 1 }, want: 3 },
    { why: 'a newer one that still speaks ours', theirs: { version: 7, oldestVersion: 5 }, want: 5 },
    { why: 'one that speaks a single one', theirs: { version: 4, oldestVersion: 4 }, want: 4 },
  ];
  for (const { why, theirs, want } of agreed) {
    test(why, () => assert.deepEqual(negotiate(theirs, OURS), { kind: 'agreed', version: want }));
  }

  const none = [
    { why: 'too old', theirs: { version: 2, oldestVersion: 1 }, upgrade: 'the other end', says: 'versions 1 to 2' },
    { why: 'too new', theirs: { version: 8, oldestVersion: 6 }, upgrade: 'this end', says: 'versions 6 to 8' },
    {
      why: 'one that says nothing',
      theirs: { version: 0, oldestVersion: 0 },
      upgrade: 'the other end',
      says: 'version 0',
    },
  ];
  for (const { why, theirs, upgrade, says } of none) {
    test(`none: ${why}`, () => {
      const found = negotiate(theirs, OURS);
      assert.ok(found.kind === 'none');
      assert.ok(found.message.includes(says) && found.message.includes('versions 3 to 5'), found.message);
      assert.ok(found.message.endsWith(`upgrade ${upgrade}`), found.message);
    });
  }

  test('this release agrees with itself', () => {
    assert.equal(negotiate({ version: 1, oldestVersion: 1 }).kind, 'agreed');
  });
});
