import { test } from 'node:test';
import { catalogueMatchesReadme } from '#testing/catalogue-drift';
import { YAML_ERRORS } from './yaml-error.ts';

test('the README lists exactly the errors that there are', () => {
  catalogueMatchesReadme({ catalogue: YAML_ERRORS, readme: new URL('./README.md', import.meta.url) });
});
