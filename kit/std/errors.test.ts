import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertNever } from './assert-never.ts';
import { FleetError } from './errors.ts';
import { sleep } from './sleep.ts';
import { StdError } from './std-error.ts';

test('an error knows its module, its code, its cause and its entry', () => {
  const cause = new Error('below');
  const error = new StdError('INVALID_NAME', 'read a name', { cause, details: { raw: 'X' } });
  assert.ok(error instanceof FleetError);
  assert.equal(error.name, 'StdError');
  assert.equal(error.code, 'INVALID_NAME');
  assert.equal(error.cause, cause);
  assert.deepEqual(error.details, { raw: 'X' });
  assert.deepEqual(error.entry, { category: 'invalid', retry: 'never' });
});

test('an error without a cause has none, not an undefined one', () => {
  assert.equal('cause' in new StdError('INVALID_NAME', 'read a name'), false);
});

test('a value that no type allows is named', () => {
  // In practice such a value comes from external JSON.
  assert.throws(() => assertNever(JSON.parse('"Gone"') as never, 'phase'), /unexpected phase: "Gone"/);
});

test('a sleep ends at once with the reason of its signal', async () => {
  const stop = new AbortController();
  const slept = sleep(60_000, stop.signal);
  stop.abort(new Error('enough'));
  await assert.rejects(slept, { message: 'enough' });
  await assert.rejects(sleep(60_000, stop.signal), { message: 'enough' });
});
