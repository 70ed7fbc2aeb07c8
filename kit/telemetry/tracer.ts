export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** HTTP request headers as provided by node:http; only `traceparent` and `tracestate` are read. */
export type TraceHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface SpanOptions {
  /** Default: `internal`. */
  readonly kind?: 'internal' | 'server' | 'client';
  /** Redacted like log fields. */
  readonly attributes?: SpanAttributes;
  /** Continues the trace named in these request headers, if any. Otherwise the parent is the current span. */
  readonly parent?: TraceHeaders;
}

export interface Span {
  /** For log lines; `undefined` when nothing is traced. */
  readonly traceId: string | undefined;
  /** The header for outgoing calls; `undefined` when nothing is traced. */
  readonly traceparent: string | undefined;
  set(attributes: SpanAttributes): void;
}

export interface Tracer {
  /**
   * Runs the body inside a span and ends the span with it. If the body throws, the span is marked as failed and the
   * error is rethrown.
   */
  span<T>(name: string, options: SpanOptions, body: (span: Span) => Promise<T>): Promise<T>;
  /** Sends the remaining spans. Returns when the signal aborts at the latest: telemetry never delays a shutdown. */
  shutdown(signal: AbortSignal): Promise<void>;
}

const silentSpan: Span = { traceId: undefined, traceparent: undefined, set: () => undefined };

/** Traces nothing and costs next to nothing. */
export const noTracer: Tracer = {
  span: (_name, _options, body) => body(silentSpan),
  shutdown: () => Promise.resolve(),
};
