import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatAttempt, parseAttempt, secretsOf } from './login-attempt.ts';

const attempt = { secret: 'A'.repeat(43), issuer: 'corp', returnTo: '/x?y=ü', expireTime: 1_000 };

test('an attempt comes back from its cookie as it was, until it expires', () => {
  const cookie = formatAttempt(attempt);
  assert.match(cookie, /^[\w.-]+$/, 'what a cookie can hold');
  assert.deepEqual(parseAttempt(cookie, 999), { ...attempt, returnTo: '/x?y=%C3%BC' });
  assert.equal(parseAttempt(cookie, 1_000), undefined);
  for (const other of [undefined, '', 'x', cookie.slice(1), `${cookie}.x`])
    assert.equal(parseAttempt(other, 0), undefined);
});

test('a way back that was put into the cookie leads nowhere else', () => {
  const forged = formatAttempt({ ...attempt, returnTo: '//evil.example' });
  assert.equal(parseAttempt(forged, 0)?.returnTo, '/');
});

test('each attempt has secrets of its own, and they are bound to what it is about', () => {
  const seen = new Set<string>();
  const variants = [{}, { secret: 'B'.repeat(43) }, { issuer: 'other' }, { returnTo: '/z' }, { expireTime: 1_001 }];
  for (const its of variants) {
    const { state, nonce, verifier } = secretsOf({ ...attempt, ...its });
    for (const text of [state, nonce, verifier]) {
      assert.match(text, /^[\w-]{43}$/);
      assert.ok(!seen.has(text));
      seen.add(text);
    }
  }
});
