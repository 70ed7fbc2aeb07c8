export { LOG_KEYS, type LogFields, type LogKey } from './log-keys.ts';
export {
  createLogger,
  LOG_LEVELS,
  type LogDestination,
  type Logger,
  type LoggerOptions,
  type LogLevel,
} from './logger.ts';
export {
  type Counter,
  createMetrics,
  type Gauge,
  type Histogram,
  type HistogramOptions,
  type Labels,
  type MetricOptions,
  type Metrics,
} from './metrics.ts';
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
