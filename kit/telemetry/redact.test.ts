import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Secret, StdError, TOKEN_PREFIXES } from '#kit/std';
import { cpuRatio } from '#testing/cpu-ratio';
import { isSecretField, redact } from './redact.ts';
import { scrubText } from './scrub-text.ts';

for (const name of [
  'authorization',
  'Authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'token',
  'adminToken',
  'bootstrap_token',
  'tokens',
  'password',
  'PGPASSWORD',
  'secret',
  'clientSecret',
  'kubeconfig',
  'kube-config',
  'privateKey',
  'private_key',
  'client-key-data',
  'x-api-key',
  'credentials',
]) {
  test(`${name} is a secret field`, () => assert.ok(isSecretField(name)));
}

for (const name of ['idempotency-key', 'idempotencyKey', 'key', 'secretName', 'tokenHash', 'passwordless', 'author']) {
  test(`${name} is shown`, () => assert.ok(!isSecretField(name)));
}

const lines = (value: unknown): unknown => JSON.parse(JSON.stringify(redact(value)));

for (const { why, value, want } of [
  {
    why: 'a secret field at any depth',
    value: { a: [{ b: { token: 'x' } }] },
    want: { a: [{ b: { token: '[redacted]' } }] },
  },
  { why: 'a secret field with an object in it', value: { secret: { a: 1 } }, want: { secret: '[redacted]' } },
  { why: 'an absent secret, whose absence may be the point', value: { token: null }, want: { token: null } },
  { why: 'a secret by type', value: { anything: new Secret('x') }, want: { anything: '[redacted]' } },
  { why: 'a header list', value: new Map([['Cookie', 'a=b']]), want: { Cookie: '[redacted]' } },
  {
    why: 'bytes',
    value: [Buffer.from('abc'), new Uint16Array(2), new ArrayBuffer(7)],
    want: ['[3 bytes]', '[4 bytes]', '[7 bytes]'],
  },
  { why: 'a date', value: new Date(0), want: '1970-01-01T00:00:00.000Z' },
  { why: 'a URL with a password', value: new URL('postgres://u:p@h/d'), want: 'postgres://u:[redacted]@h/d' },
  { why: 'what JSON has no word for', value: [1n, () => 1, Symbol('s')], want: ['1', '[function]', '[symbol]'] },
  { why: 'a set', value: new Set(['a']), want: ['a'] },
  { why: 'a prototype that came as data', value: JSON.parse('{"__proto__":{"x":1},"a":1}'), want: { a: 1 } },
  {
    why: 'a getter that throws',
    value: {
      bad: {
        get a() {
          throw new Error('boom');
        },
      },
      b: 1,
    },
    want: { bad: '[unreadable]', b: 1 },
  },
  { why: 'a text beyond measure', value: 'a'.repeat(16_390), want: `${'a'.repeat(16_384)}… 6 more` },
]) {
  test(`redacts ${why}`, () => assert.deepEqual(lines(value), want));
}

test('an error is written with its causes, its code and its details, all redacted', () => {
  const cause = new TypeError('refused: Bearer abc.def');
  const error = new StdError('INVALID_NAME', 'call with fst_abc', {
    cause,
    details: { token: 'x', name: 'web' },
    faults: [{ path: '/name', message: 'too long' }],
  });
  const { stack, cause: below, ...rest } = lines(error) as Record<string, unknown>;
  assert.deepEqual(rest, {
    type: 'StdError',
    message: 'call with [redacted]',
    code: 'INVALID_NAME',
    details: { token: '[redacted]', name: 'web' },
    faults: [{ path: '/name', message: 'too long' }],
  });
  assert.match(String(stack), /^StdError: call with \[redacted\]\n\s+at /);
  assert.equal((below as Record<string, unknown>)['message'], 'refused: Bearer [redacted]');
});

test('an aggregate is written with all its errors, and no more of an error than is known', () => {
  const driver = Object.assign(new Error('one'), { detail: 'Key (token)=(hunter2) exists' });
  const { errors } = lines(new AggregateError([driver, new Error('two')], 'both')) as { errors: { message: string }[] };
  assert.deepEqual(
    errors.map(({ message }) => message),
    ['one', 'two'],
  );
  assert.ok(!JSON.stringify(errors).includes('hunter2'));
});

test('what is nested too deep to read is cut', () => {
  const cycle: { self?: object } = {};
  cycle.self = cycle;
  assert.equal(JSON.stringify(redact(cycle)), `${'{"self":'.repeat(8)}"[too deep]"${'}'.repeat(8)}`);
});

test('a cycle and a giant end', () => {
  const cycle: { self?: object; list: number[] } = { list: Array.from({ length: 5_000 }, (_, index) => index) };
  cycle.self = cycle;
  assert.ok(JSON.stringify(redact(cycle)).length < 20_000);
  const wide = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`k${index}`, index]));
  assert.equal(Object.keys(redact(wide) as object).length, 1_001);
});

for (const { why, text, want } of [
  ...Object.entries(TOKEN_PREFIXES).map(([kind, prefix]) => ({
    why: `our own token for ${kind}`,
    text: `used ${prefix}Ab-9_z.`,
    want: 'used [redacted].',
  })),
  { why: 'a bearer token', text: 'got "Bearer abc.def-ghi" back', want: 'got "Bearer [redacted]" back' },
  { why: 'a bearer token in lower case', text: 'authorization: bearer x', want: 'authorization: bearer [redacted]' },
  { why: 'a JSON web token', text: 'id eyJhbGciOi.eyJzdWIi.c2ln end', want: 'id [redacted] end' },
  {
    why: 'a private key',
    text: 'a\n-----BEGIN EC PRIVATE KEY-----\nMHc\n-----END EC PRIVATE KEY-----\nb',
    want: 'a\n[redacted]\nb',
  },
  { why: 'a private key that was cut', text: '-----BEGIN PRIVATE KEY-----\nMHc', want: '[redacted]' },
  { why: 'the password of a URL', text: 'postgres://me:p@ss@db:5432/x', want: 'postgres://me:[redacted]@db:5432/x' },
  {
    why: 'a token in a query',
    text: 'GET /v1/events?a=1&access_token=abc&b=2',
    want: 'GET /v1/events?a=1&access_token=[redacted]&b=2',
  },
  {
    why: 'nothing in an innocent text',
    text: 'see https://host:8701/x?page=2, a certificate',
    want: 'see https://host:8701/x?page=2, a certificate',
  },
]) {
  test(`scrubs ${why}`, () => assert.equal(scrubText(text), want));
}

const alphabet = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-';
const body = fc.string({ unit: fc.constantFrom(...alphabet.split('')), minLength: 12, maxLength: 40 });

test('safety: no token survives, whatever stands around it and however deep it is', () => {
  fc.assert(
    fc.property(fc.string(), body, fc.string(), (before, secret, after) => {
      for (const token of [`fst_${secret}`, `Bearer ${secret}`]) {
        const written = JSON.stringify(redact({ a: [{ b: `${before} ${token} ${after}` }] }));
        fc.pre(!JSON.stringify(before + after).includes(secret));
        assert.ok(!written.includes(secret), written);
      }
    }),
  );
});

test('scrubbing twice changes nothing more', () => {
  const pieces = fc.constantFrom(
    'fst_',
    'Bearer ',
    'eyJ',
    '.',
    '://',
    ':',
    '@',
    '?token=',
    '&',
    ' ',
    'abc',
    '-----BEGIN PRIVATE KEY-----',
  );
  fc.assert(
    fc.property(fc.array(pieces), (parts) => {
      const once = scrubText(parts.join(''));
      assert.equal(scrubText(once), once);
    }),
  );
});

test('a hostile text takes time in proportion to its length', () => {
  for (const unit of ['://a', '?', '&token', 'eyJ.', 'bearer', '-----BEGIN PRIVATE KEY', '://a:b', 'fst_ ']) {
    const text = unit.repeat(200_000 / unit.length);
    const ratio = cpuRatio(
      () => void scrubText(text),
      () => void text.replaceAll(/[^]/g, (character) => character),
    );
    assert.ok(ratio < 100, `${unit}: ${ratio} times a look at each character`);
  }
});
