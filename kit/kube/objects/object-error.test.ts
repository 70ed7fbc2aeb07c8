import { test } from 'node:test';
import { catalogueMatchesReadme } from '#testing/catalogue-drift';
import { OBJECT_ERRORS } from './object-error.ts';

test('the README lists the codes of the catalogue', () => {
  catalogueMatchesReadme({ catalogue: OBJECT_ERRORS, readme: new URL('./README.md', import.meta.url) });
});
