import { test } from 'node:test';
import { catalogueMatchesReadme } from '#testing/catalogue-drift';
import { CONTROLLER_ERRORS } from './controller-error.ts';

test('the README lists the codes of the catalogue', () => {
  catalogueMatchesReadme({ catalogue: CONTROLLER_ERRORS, readme: new URL('./README.md', import.meta.url) });
});
