import { test } from 'node:test';
import { catalogueMatchesReadme } from '#testing/catalogue-drift';
import { LEADER_ERRORS } from './leader-error.ts';

test('the README lists the codes of the catalogue', () => {
  catalogueMatchesReadme({ catalogue: LEADER_ERRORS, readme: new URL('./README.md', import.meta.url) });
});
