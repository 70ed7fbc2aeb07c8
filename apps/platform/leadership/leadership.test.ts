import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Storage } from '#kit/storage';
import { LeaseError, type LeaseFact } from '#kit/storage/leases';
import { createMetrics } from '#kit/telemetry/metrics';
import { memoryLogger } from '#kit/telemetry/testing';
import { FakeLeadership } from '../testing/fake-leadership.ts';
import { AnotherLeads, EXECUTOR, writerAsLeader } from './leadership.ts';
import { watchLeadership } from './open-leadership.ts';

const STORAGE = {} as Storage;
const { signal } = new AbortController();
const ended = new LeaseError('EPOCH_ENDED', 'write');

suite('a write as leader', () => {
  const rows = [
    { why: 'is repeated in the next term, if no other replica led in between', continues: true, want: 'written 2' },
    { why: 'is not repeated once another replica has led', continues: false, want: 'another leads' },
  ];
  for (const { why, continues, want } of rows) {
    test(why, async () => {
      const leadership = new FakeLeadership(true, STORAGE);
      const asLeader = writerAsLeader(leadership, EXECUTOR);
      let writes = 0;
      const write = async (): Promise<string> => {
        writes += 1;
        if (writes > 1) return `written ${writes}`;
        leadership.set(true, { continues });
        throw ended;
      };
      const done = await asLeader(write, signal).catch((error: unknown) => error);
      assert.equal(done instanceof AnotherLeads ? 'another leads' : done, want);
      assert.equal(await asLeader(async () => 'the next', signal), 'the next');
    });
  }

  test('that comes before the first term waits for it', async () => {
    const leadership = new FakeLeadership(false, STORAGE);
    const writing = writerAsLeader(leadership, EXECUTOR)(async () => 'written', signal);
    leadership.set(true);
    assert.equal(await writing, 'written');
  });

  test('is repeated where an epoch has begun within the term', async () => {
    const leadership = new FakeLeadership(true, STORAGE);
    let writes = 0;
    const write = async (): Promise<string> => {
      writes += 1;
      if (writes === 1) throw ended;
      return 'written';
    };
    assert.equal(await writerAsLeader(leadership, EXECUTOR)(write, signal), 'written');
  });

  test('passes on any other error, and a stop', async () => {
    const asLeader = writerAsLeader(new FakeLeadership(true, STORAGE), EXECUTOR);
    await assert.rejects(
      asLeader(() => Promise.reject(new TypeError('a bug')), signal),
      TypeError,
    );
    const waiting = writerAsLeader(new FakeLeadership(false, STORAGE), EXECUTOR);
    await assert.rejects(
      waiting(async () => 'written', AbortSignal.abort(new Error('stopped'))),
      /stopped/,
    );
  });
});

suite('what is logged of leadership', () => {
  test('an interruption once a minute, and its end', () => {
    const { log, lines } = memoryLogger();
    let now = 0;
    const onFact = watchLeadership({ metrics: createMetrics(), log, monotonic: () => now });
    const fail: LeaseFact = { kind: 'interrupted', error: new Error('no database'), retryInMs: 500 };
    for (; now < 70_000; now += 500) onFact(fail);
    onFact({ kind: 'resumed' });
    onFact(fail);
    assert.deepEqual(
      lines.map(({ msg, attempt }) => [msg, attempt]),
      [
        ['leases not renewed; retrying', 1],
        ['leases not renewed; retrying', 121],
        ['leases renewed again', 140],
        ['leases not renewed; retrying', 1],
      ],
    );
  });
});
