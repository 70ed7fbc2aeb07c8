import assert from 'node:assert/strict';
import { test } from 'node:test';
import { REDACTED, Secret } from '#kit/std';
import { BadValue, type Kind } from './kind.ts';
import {
  boolean,
  byteSize,
  duration,
  hostPort,
  integer,
  listOf,
  network,
  oneOf,
  orNone,
  path,
  secret,
  text,
  url,
} from './kinds.ts';

const accepted: { why: string; kind: Kind<unknown>; given: string; want: unknown }[] = [
  { why: 'text stays as it is', kind: text(), given: ' a,b ', want: ' a,b ' },
  { why: 'a path may have blanks', kind: path(), given: './my data', want: './my data' },
  { why: 'a bound belongs to its range', kind: integer({ min: 1, max: 9 }), given: '9', want: 9 },
  { why: 'a negative number is a number', kind: integer({ min: -5, max: 5 }), given: '-5', want: -5 },
  { why: 'a toggle in words', kind: boolean(), given: 'false', want: false },
  { why: 'a duration becomes milliseconds', kind: duration('1s', '1h'), given: '1m30s', want: 90_000 },
  { why: 'a word of the closed list', kind: oneOf(['json', 'pretty']), given: 'json', want: 'json' },
  { why: 'a name and a port', kind: hostPort(), given: 'localhost:0', want: { host: 'localhost', port: 0 } },
  { why: 'IPv6 in brackets', kind: hostPort(), given: '[::1]:8700', want: { host: '::1', port: 8700 } },
  { why: 'binary units', kind: byteSize('1B', '1GiB'), given: '4MiB', want: 4_194_304 },
  { why: 'none where it is allowed', kind: orNone(hostPort()), given: 'none', want: undefined },
  { why: 'blanks around commas', kind: listOf(text()), given: 'a, b', want: ['a', 'b'] },
  { why: 'a network', kind: network(), given: '10.0.0.0/8', want: '10.0.0.0/8' },
  { why: 'an empty list', kind: listOf(text()), given: '', want: [] },
];

for (const { why, kind, given, want } of accepted) {
  test(`accepted: ${why}`, () => {
    assert.deepEqual(kind.parse(given), want);
    assert.deepEqual(kind.parse(kind.print(want)), want, 'what it prints, it reads');
  });
}

const refused: { why: string; kind: Kind<unknown>; given: string }[] = [
  { why: 'an empty text', kind: text(), given: '' },
  { why: 'a fraction', kind: integer({ min: 0, max: 9 }), given: '1.5' },
  { why: 'a number in hexadecimal', kind: integer({ min: 0, max: 99 }), given: '0x10' },
  { why: 'no number at all', kind: integer({ min: 0, max: 9 }), given: '' },
  { why: 'below its range', kind: integer({ min: 1, max: 9 }), given: '0' },
  { why: 'above its range', kind: integer({ min: 1, max: 9 }), given: '10' },
  { why: 'a toggle by a property of every object', kind: boolean(), given: 'toString' },
  { why: 'a toggle in other words', kind: boolean(), given: 'yes' },
  { why: 'a duration without a unit', kind: duration('1s', '1h'), given: '30' },
  { why: 'a duration that is too long', kind: duration('1s', '1h'), given: '61m' },
  { why: 'a word outside the list', kind: oneOf(['json']), given: 'JSON' },
  { why: 'a port without a host', kind: hostPort(), given: ':8700' },
  { why: 'a host without a port', kind: hostPort(), given: '127.0.0.1' },
  { why: 'a port that does not exist', kind: hostPort(), given: 'localhost:65536' },
  { why: 'IPv6 without brackets', kind: hostPort(), given: '::1:8700' },
  { why: 'a size in a decimal unit', kind: byteSize('1B', '1GiB'), given: '4MB' },
  { why: 'a size without a unit', kind: byteSize('1B', '1GiB'), given: '4096' },
  { why: 'a URL of another kind', kind: url(['https:']), given: 'http://localhost' },
  { why: 'no URL', kind: url(['https:']), given: 'localhost' },
  { why: 'a network with bits of a host', kind: network(), given: '10.0.0.1/8' },
  { why: 'one bad value in a list', kind: listOf(integer({ min: 0, max: 9 })), given: '1,x' },
  { why: 'a secret that is not of its kind', kind: secret(integer({ min: 0, max: 9 })), given: 'x' },
];

for (const { why, kind, given } of refused) {
  test(`refused: ${why}`, () => {
    assert.throws(() => kind.parse(given), BadValue);
  });
}

test('a secret shows itself nowhere', () => {
  const kind = secret(url(['https:']));
  const value = kind.parse('https://user:hunter2@example.test/');
  assert.ok(value instanceof Secret);
  assert.equal(value.reveal().password, 'hunter2');
  assert.equal(kind.print(value), REDACTED);
  assert.throws(
    () => kind.parse('ftp://user:hunter2@example.test/'),
    (error) => error instanceof BadValue && !error.message.includes('hunter2'),
  );
});
