import { test } from 'node:test';
import { DATABASES } from '#testing/databases';
import { SOURCES } from '#testing/product';
import { freshNamespace } from '../../../testing/temporal/test-namespace.ts';
import { replicasJourney } from './testing/replicas-journey.ts';

const found = DATABASES.includes('postgres') ? await freshNamespace() : undefined;
const skip = found === undefined && 'it needs Postgres and a Temporal server';

test('replicas with Temporal take over from each other, and a fleetlet follows', { skip }, async (t) => {
  if (found === undefined) return;
  const flags = ['--durable', `temporal://${found.address}/${found.namespace}`];
  await replicasJourney(t, { flags, program: SOURCES });
});
