import { test } from 'node:test';
import { catalogueMatchesReadme } from '#testing/catalogue-drift';
import { KUBERNETES_ERRORS } from './domain/kubernetes-error.ts';

test('the README lists exactly the errors that there are', () => {
  catalogueMatchesReadme({ catalogue: KUBERNETES_ERRORS, readme: new URL('./README.md', import.meta.url) });
});
