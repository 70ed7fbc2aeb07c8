import { test } from 'node:test';
import { catalogueMatchesReadme } from '#testing/catalogue-drift';
import { CRS_PROCESS_ERRORS } from './crs-process-error.ts';

test('the README lists the errors as they are', () => {
  catalogueMatchesReadme({ catalogue: CRS_PROCESS_ERRORS, readme: new URL('./README.md', import.meta.url) });
});
