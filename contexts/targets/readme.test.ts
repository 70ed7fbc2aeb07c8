import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { catalogueMatchesReadme } from '#testing/catalogue-drift';
import { TARGET_ERRORS } from './domain/target-error.ts';
import { TARGET_EVENTS } from './domain/target-event.ts';

const readme = new URL('./README.md', import.meta.url);

test('the README lists exactly the errors that there are', () => {
  catalogueMatchesReadme({ catalogue: TARGET_ERRORS, readme });
});

test('the README lists exactly the events that there are', () => {
  const listed = readFileSync(readme, 'utf8').matchAll(/^\| `(target\.[a-zA-Z]+)` \|/gm);
  assert.deepEqual(
    Array.from(listed, ([, type]) => type),
    [...TARGET_EVENTS],
  );
});
