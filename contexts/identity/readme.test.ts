import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { catalogueMatchesReadme } from '#testing/catalogue-drift';
import { IDENTITY_ERRORS } from './domain/identity-error.ts';
import { IDENTITY_EVENTS } from './domain/identity-event.ts';

const readme = new URL('./README.md', import.meta.url);

test('the README lists exactly the errors that there are', () => {
  catalogueMatchesReadme({ catalogue: IDENTITY_ERRORS, readme });
});

test('the README lists exactly the events that there are', () => {
  const listed = readFileSync(readme, 'utf8').matchAll(/^\| `((?:issuer|serviceAccount)\w*\.[a-z]+)` \|/gm);
  assert.deepEqual(
    Array.from(listed, ([, type]) => type),
    [...IDENTITY_EVENTS],
  );
});
