import { test } from 'node:test';
import { DATABASES } from '#testing/databases';
import { replicasJourney } from './testing/replicas-journey.ts';

const skip = !DATABASES.includes('postgres') && 'only Postgres takes several replicas';

test('replicas with the embedded engine take over from each other, and a fleetlet follows', { skip }, async (t) => {
  await replicasJourney(t);
});
