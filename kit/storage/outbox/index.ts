export { appendEvents, type OutboxEvent } from './append-events.ts';
export type { Consumer } from './consumer.ts';
export {
  announceReplay,
  type DeadLetter,
  type DeadLetterChoice,
  type DeadLetterQuery,
  type DeadLetters,
} from './dead-letters.ts';
export type { DispatchFact } from './dispatch-fact.ts';
export { createDispatcher, type Dispatcher, type DispatcherOptions } from './dispatcher.ts';
export { createEventLog, type EventLog, type EventQuery, type StoredEvent } from './event-log.ts';
export { type OutboxErrorCode } from './outbox-error.ts';
export { OUTBOX_MIGRATIONS } from './outbox-migrations.ts';
export { type PurgeOptions, purgeEvents } from './retention.ts';
export { createSequencer, type Sequencer, type SequencerOptions } from './sequencer.ts';
