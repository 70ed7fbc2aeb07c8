export type {
  EngineLog,
  TemporalAddress,
  TemporalEngine,
  TemporalEngineOptions,
  TemporalTls,
} from './engine-options.ts';
export { openTemporalEngine } from './open-temporal-engine.ts';
export { TemporalError, type TemporalErrorCode } from './temporal-error.ts';
export { parseTemporalUrl } from './temporal-url.ts';
