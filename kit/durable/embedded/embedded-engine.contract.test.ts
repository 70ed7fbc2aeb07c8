import { DATABASES } from '#testing/databases';
import { durableContract } from '../testing/durable-contract.ts';
import { embeddedHarness } from '../testing/embedded-harness.ts';

for (const engine of DATABASES) {
  const traits = { noticesTimersAndChildren: true };
  durableContract(`the embedded engine, ${engine}`, traits, () => embeddedHarness(engine));
}
