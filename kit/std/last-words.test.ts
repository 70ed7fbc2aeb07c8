import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LastWords } from './last-words.ts';
import { unlessAborted } from './unless-aborted.ts';

test('of each key the last word is told, after it was heard at last', async () => {
  const words = new LastWords<string>();
  words.say('a', 'old');
  words.say('b', 'only');
  words.say('a', 'new');
  const over = new AbortController();
  const heard: string[] = [];
  let isDeaf = true;
  const tell = async (all: readonly string[]): Promise<void> => {
    if (isDeaf) throw new Error('nobody listens');
    heard.push(...all);
    over.abort();
  };
  const onTrouble = async (): Promise<void> => {
    isDeaf = false;
  };
  await words.run({ tell, onTrouble }, over.signal);
  assert.deepEqual(heard, ['only', 'new']);
});

test('what is said while others are told is told next', async () => {
  const words = new LastWords<string>();
  words.say('a', 'first');
  const over = new AbortController();
  const heard: string[] = [];
  const tell = async (all: readonly string[]): Promise<void> => {
    heard.push(...all);
    if (heard.length === 1) words.say('a', 'second');
    else over.abort();
  };
  await words.run({ tell, onTrouble: async () => {} }, over.signal);
  assert.deepEqual(heard, ['first', 'second']);
});

for (const { what, comes, heard: wanted } of [
  { what: 'waits for the word that belongs to it', comes: 'well', heard: [['applied', 'well']] },
  { what: 'does not wait for ever for it', comes: undefined, heard: [['applied']] },
]) {
  test(`what ${what}`, async () => {
    const words = new LastWords<string>();
    const over = new AbortController();
    const heard: (readonly string[])[] = [];
    const tell = async (all: readonly string[]): Promise<void> => {
      heard.push(all);
      over.abort();
    };
    const sleep = async (_: number, signal: AbortSignal): Promise<void> => {
      if (comes === undefined) return;
      words.say('b', comes);
      await unlessAborted(new Promise(() => {}), signal);
    };
    const gather = { ms: 5, sleep, isUnfinished: (all: readonly string[]) => !all.includes('well') };
    words.say('a', 'applied');
    await words.run({ tell, gather, onTrouble: async () => {} }, over.signal);
    assert.deepEqual(heard, wanted);
  });
}
