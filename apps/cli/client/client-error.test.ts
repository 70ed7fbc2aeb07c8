import { test } from 'node:test';
import { catalogueMatchesReadme } from '#testing/catalogue-drift';
import { CLIENT_ERRORS } from './client-error.ts';

test('the README lists the errors as they are', () => {
  catalogueMatchesReadme({ catalogue: CLIENT_ERRORS, readme: new URL('../README.md', import.meta.url) });
});
