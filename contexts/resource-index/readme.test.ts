import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { catalogueMatchesReadme } from '#testing/catalogue-drift';
import { coreKinds } from './domain/core-kinds.ts';
import { INDEX_EVENTS } from './domain/index-event.ts';
import { RESOURCE_INDEX_ERRORS } from './domain/resource-index-error.ts';

const readme = new URL('./README.md', import.meta.url);

test('the README lists exactly the errors that there are', () => {
  catalogueMatchesReadme({ catalogue: RESOURCE_INDEX_ERRORS, readme });
});

test('the README lists exactly the events that there are', () => {
  const listed = readFileSync(readme, 'utf8').matchAll(/^\| `(indexSchema\.[a-z]+)` \|/gm);
  assert.deepEqual(
    Array.from(listed, ([, type]) => type),
    [...INDEX_EVENTS],
  );
});

test('the README lists exactly the kinds that are always indexed', () => {
  const listed = readFileSync(readme, 'utf8').matchAll(/^\| `([a-z0-9./]+\/[A-Z]\w+)` \|/gm);
  assert.deepEqual(
    Array.from(listed, ([, type]) => type),
    coreKinds('kubernetes').map(({ type }) => type),
  );
});
