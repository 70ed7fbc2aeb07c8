import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { handshakeName, isOlderHandshake } from './handshake-name.ts';

describe('a handshake is older than another', () => {
  const cases = [
    { why: 'counted before', one: handshakeName('a', 9), than: handshakeName('a', 10), want: true },
    { why: 'the same', one: handshakeName('a', 9), than: handshakeName('a', 9), want: false },
    { why: 'counted after', one: handshakeName('a', 11), than: handshakeName('a', 10), want: false },
    { why: 'of another life', one: handshakeName('a', 1), than: handshakeName('b', 2), want: false },
    { why: 'of a life with dots', one: handshakeName('a.5', 1), than: handshakeName('a.5', 2), want: true },
    { why: 'that does not count', one: 'a', than: 'a.2', want: false },
    { why: 'that counts otherwise', one: 'a.x', than: 'a.2', want: false },
  ];
  for (const { why, one, than, want } of cases) test(why, () => assert.equal(isOlderHandshake(one, than), want));
});
