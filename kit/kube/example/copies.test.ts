import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createKubeClient } from '../index.ts';
import { FakeApiServer } from '../testing/index.ts';
import { tryCopies } from './testing/try-copies.ts';

test('the example does on the fake what it says', async (t) => {
  const fake = await FakeApiServer.start();
  t.after(() => fake.close());
  const client = createKubeClient({ config: fake.config });
  t.after(() => client.close());
  await tryCopies(client, 'default');
});

test('the example is shorter than a hundred lines', () => {
  const text = readFileSync(new URL('./copies.ts', import.meta.url), 'utf8');
  assert.ok(text.split('\n').length < 100);
});
