import { it } from 'node:test';
import { SIMULATED_SOURCES } from '#testing/product';
import { freshNamespace } from '../testing/temporal/test-namespace.ts';
import { deploymentJourney } from './deployment-journey.ts';

const found = await freshNamespace();
if (found === undefined) it('goes the same way on Temporal', { skip: 'there is no Go to build a server with' });
else {
  const flags = ['--durable', `temporal://${found.address}/${found.namespace}`];
  deploymentJourney('sqlite and Temporal', { engine: 'sqlite', flags, program: SIMULATED_SOURCES });
}
