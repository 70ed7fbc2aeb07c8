import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { catalogueMatchesReadme } from '#testing/catalogue-drift';
import { WORKSPACE_ERRORS } from './domain/workspace-error.ts';
import { WORKSPACE_EVENTS } from './domain/workspace-event.ts';

const readme = new URL('./README.md', import.meta.url);

test('the README lists exactly the errors that there are', () => {
  catalogueMatchesReadme({ catalogue: WORKSPACE_ERRORS, readme });
});

test('the README lists exactly the events that there are', () => {
  const listed = readFileSync(readme, 'utf8').matchAll(/^\| `(workspace\.[a-z]+)` \|/gm);
  assert.deepEqual(
    Array.from(listed, ([, type]) => type),
    [...WORKSPACE_EVENTS],
  );
});
