import { test } from 'node:test';
import { catalogueMatchesReadme } from '#testing/catalogue-drift';
import { RECONCILE_ERRORS } from './reconcile-error.ts';

test('the README lists the codes of the catalogue', () => {
  catalogueMatchesReadme({ catalogue: RECONCILE_ERRORS, readme: new URL('./README.md', import.meta.url) });
});
