import { test } from 'node:test';
import { catalogueMatchesReadme } from '#testing/catalogue-drift';
import { CACHE_ERRORS } from './cache-error.ts';

test('the README lists the codes of the catalogue', () => {
  catalogueMatchesReadme({ catalogue: CACHE_ERRORS, readme: new URL('./README.md', import.meta.url) });
});
