import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createUuidv7 } from '#kit/std';
import type { Storage } from '#kit/storage';
import { FakeClock } from '#testing/fake-clock';
import { memoryLogger } from '../testing/governance-api.ts';
import { RefusalWriter } from './refusal-writer.ts';

test('a database that does not answer holds up refusals for a second and no longer', async () => {
  const clock = new FakeClock();
  const stuck: Pick<Storage, 'commit'> = { commit: () => new Promise<never>(() => {}) };
  const writer = new RefusalWriter({
    storage: stuck as Storage,
    scopes: { scopeOf: async () => undefined },
    log: memoryLogger([]),
    clock,
    sleep: clock.sleep,
    newId: createUuidv7(clock),
  });
  let isAnswered = false;
  const answered = writer
    .take({
      time: 0,
      requestId: 'r1',
      operationId: 'patchWorkspace',
      method: 'PATCH',
      path: '/v1/workspaces/web',
      params: {},
      resource: '/v1/workspaces/web',
      principal: { kind: 'user', id: 'alice' },
      address: '127.0.0.1',
      outcome: 'denied',
    })
    .then(() => {
      isAnswered = true;
    });
  await clock.advance(999);
  assert.equal(isAnswered, false);
  await clock.advance(1);
  await answered;
});
