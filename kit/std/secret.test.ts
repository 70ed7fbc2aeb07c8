import assert from 'node:assert/strict';
import { test } from 'node:test';
import { format, inspect } from 'node:util';
import { REDACTED, Secret, timingSafeEqualText } from './secret.ts';
import { StdError } from './std-error.ts';

const secret = new Secret('hunter2');

/** The types forbid this, which is the first line of defence; this tests the second. */
function interpolated(value: unknown): string {
  return `${value as string}`;
}

test('the value is there for those who ask', () => assert.equal(secret.reveal(), 'hunter2'));

for (const { why, text } of [
  { why: 'String()', text: String(secret) },
  { why: 'a template literal', text: interpolated(secret) },
  { why: 'JSON', text: JSON.stringify({ secret }) },
  { why: 'util.inspect', text: inspect({ deep: { secret } }, { depth: 9, showHidden: true }) },
  { why: 'util.inspect without custom printers', text: inspect(secret, { customInspect: false, showHidden: true }) },
  { why: 'the formats of console.log', text: format('%s %o %O %j', secret, secret, secret, secret) },
  { why: "an error's details", text: inspect(new StdError('INVALID_NAME', 'x', { details: { secret } })) },
  { why: 'a shallow copy', text: JSON.stringify(Object.assign({}, secret)) },
]) {
  test(`it does not show in ${why}`, () => assert.ok(!text.includes('hunter2'), text));
}

test('it shows as redacted', () => {
  assert.equal(interpolated(secret), REDACTED);
  assert.equal(JSON.stringify({ secret }), `{"secret":"${REDACTED}"}`);
  assert.equal(inspect(secret), REDACTED);
});

for (const { why, a, b, want } of [
  { why: 'equal', a: 'token', b: 'token', want: true },
  { why: 'different', a: 'token', b: 'tokem', want: false },
  { why: 'of different length', a: 'token', b: 'token2', want: false },
  { why: 'empty', a: '', b: '', want: true },
]) {
  test(`texts that are ${why}`, () => assert.equal(timingSafeEqualText(a, b), want));
}
