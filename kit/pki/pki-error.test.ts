import { test } from 'node:test';
import { catalogueMatchesReadme } from '#testing/catalogue-drift';
import { PKI_ERRORS } from './pki-error.ts';

test('the README lists exactly the errors that there are', () => {
  catalogueMatchesReadme({ catalogue: PKI_ERRORS, readme: new URL('./README.md', import.meta.url) });
});
