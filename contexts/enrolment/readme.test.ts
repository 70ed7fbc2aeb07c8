import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { catalogueMatchesReadme } from '#testing/catalogue-drift';
import { ENROLMENT_ERRORS } from './domain/enrolment-error.ts';
import { ENROLMENT_EVENTS } from './domain/enrolment-event.ts';

const readme = new URL('./README.md', import.meta.url);

test('the README lists exactly the errors that there are', () => {
  catalogueMatchesReadme({ catalogue: ENROLMENT_ERRORS, readme });
});

test('the README lists exactly the events that there are', () => {
  const listed = readFileSync(readme, 'utf8').matchAll(
    /^\| `((?:bootstrapToken|fleetlet|certificateAuthority)\.[a-z]+)` \|/gm,
  );
  assert.deepEqual(
    Array.from(listed, ([, type]) => type),
    [...ENROLMENT_EVENTS],
  );
});
