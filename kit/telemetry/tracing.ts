import type { OtelTracerDeps } from './otel-tracer.ts';
import { noTracer, type Tracer } from './tracer.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export type TracingOptions = OtelTracerDeps;

/**
 * Starts tracing as configured by the standard OpenTelemetry variables. Without an endpoint, or if tracing is disabled,
 * the SDK is not loaded. `env` decides only that; the SDK reads the other variables (name, attributes, sampler,
 * headers, batches) from the environment of the process.
 */
export async function startTracing(env: Environment, options: TracingOptions): Promise<Tracer> {
  if (!wantsTraces(env)) return noTracer;
  const protocol = env['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'] || env['OTEL_EXPORTER_OTLP_PROTOCOL'];
  if (protocol && protocol !== 'http/json') {
    options.log.warn(
      { setting: 'OTEL_EXPORTER_OTLP_PROTOCOL', reason: protocol },
      'OTLP protocol not supported; sending traces as http/json',
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
