import { it } from 'node:test';
import { catalogueMatchesReadme } from '#testing/catalogue-drift';
import { STORAGE_ERRORS } from './storage-error.ts';

it('the README lists the storage errors as they are', () => {
  catalogueMatchesReadme({ catalogue: STORAGE_ERRORS, readme: new URL('./README.md', import.meta.url) });
});
