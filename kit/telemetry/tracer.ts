export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** The headers of an HTTP request as node:http hands them over; only `traceparent` and `tracestate` are read. */
export type TraceHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface SpanOptions {
  /** `internal` unless told otherwise. */
  readonly kind?: 'internal' | 'server' | 'client';
  /** Redacted like log fields. */
  readonly attributes?: SpanAttributes;
  /** Continues the trace of a request, if its headers name one. Otherwise the parent is the span around the call. */
  readonly parent?: TraceHeaders;
}

export interface Span {
  /** For log lines; `undefined` when nothing is traced. */
  readonly traceId: string | undefined;
  /** The header for calls to others; `undefined` when nothing is traced. */
  readonly traceparent: string | undefined;
  set(attributes: SpanAttributes): void;
}

export interface Tracer {
  /** Runs the body inside a span, which ends with it. A body that throws marks the span and throws on. */
  span<T>(name: string, options: SpanOptions, body: (span: Span) => Promise<T>): Promise<T>;
  /** Sends what is left. Returns at the latest when the signal aborts: telemetry never holds up a stop. */
  shutdown(signal: AbortSignal): Promise<void>;
}

const silentSpan: Span = { traceId: undefined, traceparent: undefined, set: () => undefined };

/** Traces nothing and costs next to nothing. */
export const noTracer: Tracer = {
  span: (_name, _options, body) => body(silentSpan),
  shutdown: () => Promise.resolve(),
};
