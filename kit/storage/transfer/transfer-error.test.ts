import { test } from 'node:test';
import { catalogueMatchesReadme } from '#testing/catalogue-drift';
import { TRANSFER_ERRORS } from './transfer-error.ts';

test('the README lists exactly the errors that there are', () => {
  catalogueMatchesReadme({ catalogue: TRANSFER_ERRORS, readme: new URL('./README.md', import.meta.url) });
});
