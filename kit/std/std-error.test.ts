import { test } from 'node:test';
import { catalogueMatchesReadme } from '#testing/catalogue-drift';
import { STD_ERRORS } from './std-error.ts';

test('the README lists the codes of the catalogue', () => {
  catalogueMatchesReadme({ catalogue: STD_ERRORS, readme: new URL('./README.md', import.meta.url) });
});
