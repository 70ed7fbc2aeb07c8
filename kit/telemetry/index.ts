export { type LogFields, type LogKey } from './log-keys.ts';
export {
  createLogger,
  LOG_LEVELS,
  type LogDestination,
  type Logger,
  type LoggerOptions,
  type LogLevel,
} from './logger.ts';
export type {
  Counter,
  Gauge,
  Histogram,
  HistogramOptions,
  Labels,
  MetricOptions,
  Metrics,
} from './metrics/metrics.ts';
export { redact } from './redact.ts';
export {
  noTracer,
  type Span,
  type SpanAttributes,
  type SpanOptions,
  type TraceHeaders,
  type Tracer,
} from './tracer.ts';
export { type Environment, startTracing, type TracingOptions } from './tracing.ts';
