import { test } from 'node:test';
import { catalogueMatchesReadme } from '#testing/catalogue-drift';
import { WEBHOOK_ERRORS } from './webhook-error.ts';

test('the README lists the codes of the catalogue', () => {
  catalogueMatchesReadme({ catalogue: WEBHOOK_ERRORS, readme: new URL('./README.md', import.meta.url) });
});
