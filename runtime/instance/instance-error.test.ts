import { test } from 'node:test';
import { catalogueMatchesReadme } from '#testing/catalogue-drift';
import { INSTANCE_ERRORS } from './instance-error.ts';

test('the README lists the errors as they are', () => {
  catalogueMatchesReadme({ catalogue: INSTANCE_ERRORS, readme: new URL('./README.md', import.meta.url) });
});
