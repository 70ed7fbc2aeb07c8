import { test } from 'node:test';
import { catalogueMatchesReadme } from '#testing/catalogue-drift';
import { SEALING_ERRORS } from './sealing-error.ts';

test('the README lists exactly the errors that there are', () => {
  catalogueMatchesReadme({ catalogue: SEALING_ERRORS, readme: new URL('./README.md', import.meta.url) });
});
