import { it } from 'node:test';
import { catalogueMatchesReadme } from '#testing/catalogue-drift';
import { OUTBOX_ERRORS } from './outbox-error.ts';

it('lists the errors of the outbox in its README', () => {
  catalogueMatchesReadme({ catalogue: OUTBOX_ERRORS, readme: new URL('./README.md', import.meta.url) });
});
