import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sleep } from '#kit/std';
import { eachDatabase } from '#testing/databases';
import { type Storage, StorageError, sql } from '../index.ts';
import { DeadLetterBox, type DeadLetterSummary, listDeadLetters, OTHERS, purgeDeadLetters } from './dead-letter-box.ts';
import { DEAD_LETTER_MIGRATIONS } from './dead-letter-migrations.ts';

eachDatabase('dead letters', (fresh) => {
  async function aBox(t: { after(end: () => Promise<void>): void }, wrap = (storage: Storage): Storage => storage) {
    const database = await fresh();
    const storage = await database.open([DEAD_LETTER_MIGRATIONS]);
    const stored: DeadLetterSummary[] = [];
    const waits: { readonly count: number; readonly resolve: () => void }[] = [];
    const box = new DeadLetterBox({
      storage: wrap(storage),
      clock: { now: () => 1_000 },
      sleep: (_ms, signal) => sleep(1, signal),
      onStored: (letter) => {
        stored.push(letter);
        for (const { count, resolve } of waits) if (stored.length >= count) resolve();
      },
      onTrouble: () => {},
    });
    const over = new AbortController();
    const running = box.run(over.signal);
    t.after(async () => {
      over.abort();
      await running;
      await database.dispose();
    });
    const untilStored = (count: number): Promise<void> => {
      const { promise, resolve } = Promise.withResolvers<void>();
      waits.push({ count, resolve });
      if (stored.length >= count) resolve();
      return promise;
    };
    return { storage, box, untilStored };
  }

  it('has one for each sender and kind of error, with how many there were and the last of them', async (t) => {
    const { storage, box, untilStored } = await aBox(t);
    for (let count = 0; count < 1_000; count += 1) {
      box.add({ source: 'status', subject: 'targets/one', error: new RangeError(`${count} is too large`) });
    }
    box.add({ source: 'status', subject: 'targets/two', error: new TypeError('no\u0000\u001b[2J') });
    box.add({ source: 'index', subject: 'targets/one', error: new RangeError('another source') });
    await untilStored(3);
    const listed = await listDeadLetters(storage, { source: 'status', limit: 10 }, t.signal);
    assert.deepEqual(
      listed.map(({ subject, code, messages, lastError }) => ({ subject, code, messages, lastError })),
      [
        { subject: 'targets/one', code: 'RangeError', messages: 1_000, lastError: '999 is too large' },
        { subject: 'targets/two', code: 'TypeError', messages: 1, lastError: 'no\ufffd\ufffd[2J' },
      ],
    );
    box.add({ source: 'status', subject: 'targets/one', error: new RangeError('once more') });
    await untilStored(4);
    const [again] = await listDeadLetters(storage, { source: 'status', limit: 1 }, t.signal);
    assert.deepEqual([again?.messages, again?.lastError], [1_001, 'once more']);
    assert.equal(await purgeDeadLetters(storage, 1_001, t.signal), 3);
  });

  it('tells of what a decoder quotes its code alone', async (t) => {
    const { storage, box, untilStored } = await aBox(t);
    const cause = new StorageError('CONNECTION_LOST', 'read "hunter2"');
    const error = new TypeError('it cannot be decoded', { cause });
    box.add({ source: 'status', subject: 'targets/one', error });
    await untilStored(1);
    const [letter] = await listDeadLetters(storage, { source: 'status', limit: 1 }, t.signal);
    assert.equal(letter?.lastError, 'it cannot be decoded (CONNECTION_LOST)');
    const stored = await storage.all(sql`SELECT * FROM dead_letters`, t.signal);
    assert.ok(
      !JSON.stringify(stored, (_, value) => (typeof value === 'bigint' ? `${value}` : value)).includes('hunter2'),
    );
  });

  it('counts the messages of further senders together once too many senders wait', async (t) => {
    const { storage, box, untilStored } = await aBox(t);
    for (let nth = 0; nth < 10_050; nth += 1) {
      box.add({ source: 'status', subject: `targets/${nth}`, error: new RangeError('no') });
    }
    box.add({ source: 'status', subject: 'targets/0', error: new RangeError('a sender that waits already') });
    await untilStored(10_001);
    const [others] = await storage.all(
      sql`SELECT messages FROM dead_letters WHERE subject = ${OTHERS} AND source = 'status'`,
      t.signal,
    );
    assert.deepEqual(others, { messages: 50 });
    const [all] = await storage.all(sql`SELECT sum(messages) AS messages FROM dead_letters`, t.signal);
    assert.equal(Number(all?.['messages']), 10_051);
  });

  it('loses none while the database is away', async (t) => {
    let refusals = 3;
    const wrap = (storage: Storage): Storage => ({
      ...storage,
      commit: async (statements, signal) => {
        if (refusals-- > 0) throw new StorageError('CONNECTION_LOST', 'away');
        return await storage.commit(statements, signal);
      },
    });
    const { storage, box, untilStored } = await aBox(t, wrap);
    box.add({ source: 'status', subject: 'targets/one', error: new RangeError('no') });
    await untilStored(1);
    assert.equal((await listDeadLetters(storage, { source: 'status', limit: 10 }, t.signal)).length, 1);
  });
});
