import { test } from 'node:test';
import { catalogueMatchesReadme } from '#testing/catalogue-drift';
import { BACKUP_ERRORS } from './backup-error.ts';

test('the README lists exactly the errors that there are', () => {
  catalogueMatchesReadme({ catalogue: BACKUP_ERRORS, readme: new URL('./README.md', import.meta.url) });
});
