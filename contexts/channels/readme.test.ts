import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { catalogueMatchesReadme } from '#testing/catalogue-drift';
import { CHANNEL_ERRORS } from './domain/channel-error.ts';
import { CLOSE_REASONS } from './domain/frame.ts';

const readme = new URL('./README.md', import.meta.url);
const text = readFileSync(readme, 'utf8');

test('the README lists exactly the errors that there are', () => {
  catalogueMatchesReadme({ catalogue: CHANNEL_ERRORS, readme });
});

test('the README says of each reason to close what becomes of the channel, once', () => {
  const table = text.slice(text.indexOf('| reason |'), text.indexOf('`retryAfterMs`'));
  const reasons = table
    .split('\n')
    .flatMap((row) => Array.from((row.split('|')[1] ?? '').matchAll(/`(\w+)`/g), ([, name]) => name));
  assert.equal(reasons.length, CLOSE_REASONS.length);
  assert.deepEqual(new Set(reasons), new Set(CLOSE_REASONS));
});
