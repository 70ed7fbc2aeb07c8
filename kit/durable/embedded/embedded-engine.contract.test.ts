import { DATABASES } from '#testing/databases';
import { durableContract } from '../testing/durable-contract.ts';
import { embeddedHarness } from '../testing/embedded-harness.ts';

for (const engine of DATABASES) durableContract(`the embedded engine, ${engine}`, () => embeddedHarness(engine));
