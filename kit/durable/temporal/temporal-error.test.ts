import { it } from 'node:test';
import { catalogueMatchesReadme } from '../../../testing/catalogue-drift.ts';
import { TEMPORAL_ERRORS } from './temporal-error.ts';

it('has its codes listed in the README', () => {
  catalogueMatchesReadme({ catalogue: TEMPORAL_ERRORS, readme: new URL('./README.md', import.meta.url) });
});
