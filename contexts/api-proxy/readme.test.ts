import { test } from 'node:test';
import { catalogueMatchesReadme } from '#testing/catalogue-drift';
import { API_PROXY_ERRORS } from './domain/api-proxy-error.ts';

test('the README lists exactly the errors that there are', () => {
  catalogueMatchesReadme({ catalogue: API_PROXY_ERRORS, readme: new URL('./README.md', import.meta.url) });
});
