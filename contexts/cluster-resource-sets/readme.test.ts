import { test } from 'node:test';
import { catalogueMatchesReadme } from '#testing/catalogue-drift';
import { CRS_ERRORS } from './domain/crs-error.ts';

test('the README lists exactly the errors that there are', () => {
  catalogueMatchesReadme({ catalogue: CRS_ERRORS, readme: new URL('./README.md', import.meta.url) });
});
