import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Context,
  createTraceState,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { aborted, REDACTED } from '#kit/std';
import type { Logger } from './logger.ts';
import { isSecretField, redactText } from './redact.ts';
import { ReportingExporter } from './reporting-exporter.ts';
import { formatTraceparent, parseTraceparent } from './traceparent.ts';
import type { Span, SpanAttributes, TraceHeaders, Tracer } from './tracer.ts';

export interface OtelTracerDeps {
  readonly serviceName: string;
  readonly version: string;
  readonly log: Logger;
}

const KINDS = { internal: SpanKind.INTERNAL, server: SpanKind.SERVER, client: SpanKind.CLIENT };

/**
 * A tracer on the OpenTelemetry SDK that sends batches over OTLP.
 *
 * DECISION: nothing is registered globally. The current span is kept in a store of our own, so that several tracers in
 * one process, as in tests, stay separate.
 */
export function createOtelTracer({ serviceName, version, log }: OtelTracerDeps): Tracer {
  const exporter = new ReportingExporter(new OTLPTraceExporter(), log);
  const own = resourceFromAttributes({ 'service.name': serviceName, 'service.version': version });
  const provider = new BasicTracerProvider({
    // The last merge wins: attributes that the operator sets in the environment.
    resource: defaultResource()
      .merge(own)
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  const tracer = provider.getTracer(serviceName, version);
  const around = new AsyncLocalStorage<Context>();

  return {
    span: (name, { kind = 'internal', attributes = {}, parent }, body) => {
      const above = remoteContext(parent) ?? around.getStore() ?? ROOT_CONTEXT;
      const span = tracer.startSpan(name, { kind: KINDS[kind], attributes: redacted(attributes) }, above);
      return around.run(trace.setSpan(above, span), () => inside(span, body));
    },
    shutdown: async (signal) => {
      // The exporter has already logged spans that it could not send.
      const sent = provider.shutdown().catch(() => undefined);
      const late = await Promise.race([sent.then(() => false), aborted(signal).then(() => true)]);
      if (late) log.warn({}, 'last traces not sent before the shutdown deadline; dropped');
    },
  };
}

async function inside<T>(span: OtelSpan, body: (span: Span) => Promise<T>): Promise<T> {
  try {
    return await body(view(span));
  } catch (error) {
    const { name, message, stack = '' } = error instanceof Error ? error : new Error(String(error));
    span.recordException({ name, message: redactText(message), stack: redactText(stack) });
    span.setStatus({ code: SpanStatusCode.ERROR, message: redactText(message) });
    throw error;
  } finally {
    span.end();
  }
}

function view(span: OtelSpan): Span {
  const { traceId, spanId, traceFlags } = span.spanContext();
  const sampled = (traceFlags & TraceFlags.SAMPLED) !== 0;
  return {
    traceId,
    traceparent: formatTraceparent({ traceId, spanId, sampled }),
    set: (attributes) => void span.setAttributes(redacted(attributes)),
  };
}

function remoteContext(headers: TraceHeaders | undefined): Context | undefined {
  const position = parseTraceparent(single(headers?.['traceparent']));
  if (!position) return undefined;
  const { traceId, spanId, sampled } = position;
  const state = headers?.['tracestate'];
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: sampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
    isRemote: true,
    ...(state !== undefined && { traceState: createTraceState(String(state)) }),
  });
}

function single(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : undefined;
}

function redacted(attributes: SpanAttributes): Record<string, string | number | boolean> {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => {
      if (isSecretField(name)) return [name, REDACTED];
      return [name, typeof value === 'string' ? redactText(value) : value];
    }),
  );
}
