import assert from 'node:assert/strict';
import { it } from 'node:test';
import { eachDatabase } from '#testing/databases';
import { sql } from '../index.ts';
import { OUTBOX_MIGRATIONS } from '../outbox/index.ts';
import { DEAD_LETTER_MIGRATIONS } from './dead-letter-migrations.ts';
import { countLetters, discardLetter, findLetter, type LetterKey, listLetters, replayLetter } from './letters.ts';

const NOW = 9_000;

eachDatabase('the letters of all sources', (fresh) => {
  async function withLetters(t: { after(end: () => Promise<void>): void; readonly signal: AbortSignal }) {
    const database = await fresh();
    t.after(() => database.dispose());
    const storage = await database.open([DEAD_LETTER_MIGRATIONS, OUTBOX_MIGRATIONS]);
    const message = (source: string, subject: string, code: string) => sql`
      INSERT INTO dead_letters (source, subject, code, messages, last_error, last_payload, first_time, last_time)
      VALUES (${source}, ${subject}, ${code}, 3, ${'too large'}, ${'c2VjcmV0'}, 1, 2)`;
    const event = (position: number, key: string) => sql`
      INSERT INTO outbox_dead_letters (position, consumer, key, attempts, last_error, failed_at)
      VALUES (${position}, ${'followers'}, ${key}, 10, ${null}, 5)`;
    await storage.commit(
      [
        message('status', 'targets/b', 'RangeError'),
        message('index', 'targets/z', 'TypeError'),
        message('status', 'targets/a', 'TypeError'),
        event(17, 'targets/m'),
        event(9, 'targets/m'),
      ],
      t.signal,
    );
    return storage;
  }
  const KEYS: readonly LetterKey[] = [
    ['index', 'targets/z', 'TypeError'],
    ['outbox', 'targets/m', 'followers@17'],
    ['outbox', 'targets/m', 'followers@9'],
    ['status', 'targets/a', 'TypeError'],
    ['status', 'targets/b', 'RangeError'],
  ];

  it('are listed page by page, each once, without the message', async (t) => {
    const storage = await withLetters(t);
    const seen: LetterKey[] = [];
    for (;;) {
      const page = await listLetters(storage, { after: seen.at(-1), limit: 2 }, t.signal);
      assert.ok(!JSON.stringify(page).includes('c2VjcmV0'));
      seen.push(...page.map(({ source, subject, code }) => [source, subject, code] as const));
      if (page.length < 2) break;
    }
    assert.deepEqual(seen, KEYS);
    assert.deepEqual(
      [...(await countLetters(storage, t.signal))].toSorted(([one], [other]) => one.localeCompare(other)),
      [
        ['index', 1],
        ['outbox', 2],
        ['status', 2],
      ],
    );
  });

  it('are discarded one by one', async (t) => {
    const storage = await withLetters(t);
    for (const key of KEYS) {
      await storage.write(async (tx) => discardLetter(tx, await findLetter(tx, key)), t.signal);
      await assert.rejects(
        storage.read((reader) => findLetter(reader, key), t.signal),
        { code: 'DEAD_LETTER_NOT_FOUND' },
      );
    }
    assert.deepEqual(await listLetters(storage, { after: undefined, limit: 9 }, t.signal), []);
  });

  it('are replayed when they are events: the event is due again, with all its attempts', async (t) => {
    const storage = await withLetters(t);
    const replay = (key: LetterKey) =>
      storage.write(async (tx) => replayLetter(tx, await findLetter(tx, key), NOW), t.signal);
    await replay(['outbox', 'targets/m', 'followers@17']);
    assert.deepEqual(await storage.all(sql`SELECT position, consumer, attempts FROM outbox_deferred`, t.signal), [
      { position: 17, consumer: 'followers', attempts: 0 },
    ]);
    assert.deepEqual(await storage.all(sql`SELECT key, due_at FROM outbox_held_keys`, t.signal), [
      { key: 'targets/m', due_at: NOW },
    ]);
    assert.equal((await countLetters(storage, t.signal)).get('outbox'), 1);
    await assert.rejects(replay(['status', 'targets/a', 'TypeError']), { code: 'DEAD_LETTER_NOT_REPLAYABLE' });
    assert.equal((await countLetters(storage, t.signal)).get('status'), 2);
  });
});
