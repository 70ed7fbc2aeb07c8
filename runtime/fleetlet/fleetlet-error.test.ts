import { test } from 'node:test';
import { catalogueMatchesReadme } from '#testing/catalogue-drift';
import { FLEETLET_ERRORS } from './fleetlet-error.ts';

test('the README lists the errors as they are', () => {
  catalogueMatchesReadme({ catalogue: FLEETLET_ERRORS, readme: new URL('./README.md', import.meta.url) });
});
