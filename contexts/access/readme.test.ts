import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { catalogueMatchesReadme } from '#testing/catalogue-drift';
import { ACCESS_ERRORS } from './domain/access-error.ts';
import { ACCESS_EVENTS } from './domain/access-event.ts';

const readme = new URL('./README.md', import.meta.url);

test('the README lists exactly the errors that there are', () => {
  catalogueMatchesReadme({ catalogue: ACCESS_ERRORS, readme });
});

test('the README lists exactly the events that there are', () => {
  const listed = readFileSync(readme, 'utf8').matchAll(/^\| `((?:grant|permissionSchema)\.[a-z]+)` \|/gm);
  assert.deepEqual(
    Array.from(listed, ([, type]) => type),
    [...ACCESS_EVENTS],
  );
});
