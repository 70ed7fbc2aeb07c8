import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { Logger } from './logger.ts';

type Report = Parameters<SpanExporter['export']>[1];

/**
 * Says in the log when spans stop arriving, and when they arrive again: once each, since a collector that is away is
 * met by every batch. The SDK itself tells nobody unless a global logger is set.
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
