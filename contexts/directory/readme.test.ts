import { test } from 'node:test';
import { catalogueMatchesReadme } from '#testing/catalogue-drift';
import { DIRECTORY_ERRORS } from './domain/directory-error.ts';

test('the README lists exactly the errors that there are', () => {
  catalogueMatchesReadme({ catalogue: DIRECTORY_ERRORS, readme: new URL('./README.md', import.meta.url) });
});
