import { DATABASES } from '#testing/databases';
import { deploymentJourney } from './deployment-journey.ts';

for (const engine of DATABASES) deploymentJourney(engine, { engine });
