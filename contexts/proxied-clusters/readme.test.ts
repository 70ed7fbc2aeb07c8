import { test } from 'node:test';
import { catalogueMatchesReadme } from '#testing/catalogue-drift';
import { PROXIED_CLUSTER_ERRORS } from './domain/proxied-cluster-error.ts';

test('the README lists exactly the errors that there are', () => {
  catalogueMatchesReadme({
    catalogue: PROXIED_CLUSTER_ERRORS,
    readme: new URL('./README.md', import.meta.url),
  });
});
