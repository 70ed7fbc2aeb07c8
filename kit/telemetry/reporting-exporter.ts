import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { Logger } from './logger.ts';

type Report = Parameters<SpanExporter['export']>[1];

/**
 * Logs once when exporting spans starts to fail and once when it works again, not for each batch. The SDK itself
 * reports failures only to a global logger.
 */
export class ReportingExporter implements SpanExporter {
  readonly #exporter: SpanExporter;
  readonly #log: Logger;
  #failing = false;

  constructor(exporter: SpanExporter, log: Logger) {
    this.#exporter = exporter;
    this.#log = log;
  }

  export(spans: ReadableSpan[], report: Report): void {
    this.#exporter.export(spans, (result) => {
      this.#notice(result.code !== 0, result.error);
      report(result);
    });
  }

  shutdown(): Promise<void> {
    return this.#exporter.shutdown();
  }

  #notice(failing: boolean, err: Error | undefined): void {
    if (failing && !this.#failing) this.#log.warn({ err }, 'traces not accepted; dropped until they are');
    if (!failing && this.#failing) this.#log.info({}, 'traces are accepted again');
    this.#failing = failing;
  }
}
