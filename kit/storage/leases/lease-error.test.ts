import { it } from 'node:test';
import { catalogueMatchesReadme } from '#testing/catalogue-drift';
import { LEASE_ERRORS } from './lease-error.ts';

it('the README lists the lease errors as they are', () => {
  catalogueMatchesReadme({ catalogue: LEASE_ERRORS, readme: new URL('./README.md', import.meta.url) });
});
