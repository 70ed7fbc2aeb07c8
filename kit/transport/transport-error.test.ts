import { test } from 'node:test';
import { catalogueMatchesReadme } from '#testing/catalogue-drift';
import { TRANSPORT_ERRORS } from './transport-error.ts';

test('the README lists exactly the errors that there are', () => {
  catalogueMatchesReadme({ catalogue: TRANSPORT_ERRORS, readme: new URL('./README.md', import.meta.url) });
});
