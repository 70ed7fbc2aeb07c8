import { test } from 'node:test';
import { catalogueMatchesReadme } from '#testing/catalogue-drift';
import { PLATFORM_ERRORS } from './platform-error.ts';

test('the README lists the errors as they are', () => {
  catalogueMatchesReadme({ catalogue: PLATFORM_ERRORS, readme: new URL('./README.md', import.meta.url) });
});
