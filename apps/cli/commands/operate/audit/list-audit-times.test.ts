import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UsageError } from '../../../command.ts';
import { timeArgument } from './list-audit.ts';

const NOW = Date.parse('2030-01-02T12:00:00Z');

for (const { given, want } of [
  { given: '1h', want: '2030-01-02T11:00:00.000Z' },
  { given: '1h30m', want: '2030-01-02T10:30:00.000Z' },
  { given: '2d', want: '2029-12-31T12:00:00.000Z' },
  { given: '2030-01-01', want: '2030-01-01T00:00:00.000Z' },
  { given: '2030-01-01T10:00:00+02:00', want: '2030-01-01T08:00:00.000Z' },
  { given: undefined, want: undefined },
]) {
  test(`${given} is ${want}`, () => assert.equal(timeArgument('--from', given, NOW), want));
}

for (const given of ['yesterday', '1', '2030-13-01', '1y']) {
  test(`${given} is refused with what to write`, () =>
    assert.throws(
      () => timeArgument('--from', given, NOW),
      (error) => error instanceof UsageError && error.message.includes('1h'),
    ));
}
