/** The platform's end of the channel, for tests of the agent's end. */
export { decodeFromIndexer, encodeToIndexer } from '../adapters/wire/index-codec.ts';
export { IndexIntake } from '../application/sink/index-intake.ts';
