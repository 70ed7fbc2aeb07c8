import assert from 'node:assert/strict';
import { it } from 'node:test';
import { SharedDeadline } from './shared-deadline.ts';

it('is the same for all who ask at one moment, and another later', async () => {
  const never = new AbortController().signal;
  const hour = new SharedDeadline(3_600_000, never);
  assert.equal(hour.signal, hour.signal);
  const moment = new SharedDeadline(0, never);
  const first = moment.signal;
  assert.notEqual(moment.signal, first);
});

it('ends after its time, and with the other', async () => {
  const other = new AbortController();
  const { signal: short } = new SharedDeadline(1, other.signal);
  await new Promise((resolve) => short.addEventListener('abort', resolve));
  assert.equal((short.reason as Error).name, 'TimeoutError');
  const { signal: long } = new SharedDeadline(3_600_000, other.signal);
  assert.equal(long.aborted, false);
  other.abort(new Error('over'));
  assert.equal(long.reason, other.signal.reason);
});
