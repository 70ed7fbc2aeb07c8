import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { DATABASES } from '#testing/databases';
import { gate } from '../testing/gate.ts';
import { type OutboxDatabase, outboxDatabase } from './testing/outbox-database.ts';
import { RecordingConsumer, runDispatcher } from './testing/recording-consumer.ts';

describe('dispatch by replicas on postgres', {
  skip: !DATABASES.includes('postgres') && 'narrowed to other databases',
}, () => {
  let outbox: OutboxDatabase;
  before(async () => {
    outbox = await outboxDatabase('postgres');
  });
  after(() => outbox.dispose());

  it('serves a consumer from one replica, and another takes over at once when that one stops', async () => {
    const [a, b] = [new RecordingConsumer(), new RecordingConsumer()];
    const first = runDispatcher({ storage: outbox.storage, consumers: [a], leaseMs: 60_000 });
    await first.facts.until((facts) => facts.some(({ kind }) => kind === 'claimed'), 'the claim');
    const second = runDispatcher({ storage: await outbox.second(), consumers: [b], leaseMs: 60_000 });
    await second.facts.until((facts) => facts.some(({ kind }) => kind === 'standing-by'), 'the stand-by');
    await outbox.append('x');
    await a.done.until((items) => items.length === 1, 'the event at the first');
    assert.equal(b.begun.items.length, 0);
    await first.stop();
    await outbox.append('y');
    await b.done.until((items) => items.length === 1, 'the event at the second');
    await second.stop();
    assert.deepEqual([a.begun.items, b.begun.items], [['x'], ['y']]);
  });

  it('keeps its lease for as long as it works', async () => {
    const long = gate();
    const [a, b] = [
      new RecordingConsumer(() => long.passed, { name: 'long' }),
      new RecordingConsumer(() => {}, { name: 'long' }),
    ];
    const first = runDispatcher({ storage: outbox.storage, consumers: [a], leaseMs: 1_500 });
    await outbox.append('x');
    await a.begun.until((items) => items.length > 0, 'the beginning');
    const second = runDispatcher({ storage: await outbox.second(), consumers: [b], leaseMs: 1_500 });
    const looks = (facts: readonly { kind: string }[]) => facts.filter(({ kind }) => kind === 'standing-by').length;
    await second.facts.until((facts) => looks(facts) >= 2, 'a second look, when the first lease would be over');
    await second.stop();
    long.open();
    await first.stop();
    assert.equal(
      second.facts.items.some(({ kind }) => kind === 'claimed'),
      false,
    );
  });
});
