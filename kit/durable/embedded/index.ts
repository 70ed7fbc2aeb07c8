export { DURABLE_MIGRATIONS } from './durable-migrations.ts';
export { createEmbeddedEngine, type EmbeddedEngineOptions, EXECUTOR_ROLE } from './embedded-engine.ts';
export type { ExecutorFact } from './executor-fact.ts';
export { type RetentionOptions } from './retention.ts';
