import type { OtelTracerDeps } from './otel-tracer.ts';
import { noTracer, type Tracer } from './tracer.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export type TracingOptions = OtelTracerDeps;

/**
 * Traces as the standard OpenTelemetry variables say. Without an endpoint in them, or when they forbid it, no module of
 * its SDK is even loaded. `env` decides that; what else the variables say (name, attributes, sampler, headers,
 * batches) the SDK reads by itself from the environment of the process.
 */
export async function startTracing(env: Environment, options: TracingOptions): Promise<Tracer> {
  if (!wantsTraces(env)) return noTracer;
  const protocol = env['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'] || env['OTEL_EXPORTER_OTLP_PROTOCOL'];
  if (protocol && protocol !== 'http/json') {
    options.log.warn(
      { setting: 'OTEL_EXPORTER_OTLP_PROTOCOL', reason: protocol },
      'traces are sent as http/json anyway',
    );
  }
  const { createOtelTracer } = await import('./otel-tracer.ts');
  return createOtelTracer(options);
}

export function wantsTraces(env: Environment): boolean {
  if (env['OTEL_SDK_DISABLED']?.trim().toLowerCase() === 'true') return false;
  const exporters = (env['OTEL_TRACES_EXPORTER'] || 'otlp').split(',').map((name) => name.trim());
  if (!exporters.includes('otlp')) return false;
  return Boolean(env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] || env['OTEL_EXPORTER_OTLP_ENDPOINT']);
}
