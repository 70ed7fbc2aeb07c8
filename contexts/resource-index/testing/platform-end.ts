/** What the platform has at its end of the channel, for tests of whoever is at the other. */
export { decodeFromIndexer, encodeToIndexer } from '../adapters/wire/index-codec.ts';
export { IndexIntake } from '../application/sink/index-intake.ts';
