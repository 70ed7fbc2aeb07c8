import type { Metrics } from '#kit/telemetry';

/** With the names of controller-runtime, so that existing dashboards work. */
export class WebhookMetrics {
  readonly #requests;
  readonly #latency;
  readonly #inFlight;
  readonly #panics;
  readonly #underWay = new Map<string, number>();

  /** The metrics of `paths` exist from the start, before the first request. */
  constructor(metrics: Metrics, paths: readonly string[]) {
    const labels = ['webhook'] as const;
    this.#requests = metrics.counter({
      name: 'controller_runtime_webhook_requests_total',
      help: 'Total number of admission requests by HTTP status code.',
      labels: ['webhook', 'code'],
    });
    this.#latency = metrics.histogram({
      name: 'controller_runtime_webhook_latency_seconds',
      help: 'Histogram of the latency of processing admission requests',
      labels,
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    });
    this.#inFlight = metrics.gauge({
      name: 'controller_runtime_webhook_requests_in_flight',
      help: 'Current number of admission requests being served.',
      labels,
    });
    this.#panics = metrics.counter({
      name: 'controller_runtime_webhook_panics_total',
      help: 'Total number of webhook panics',
    });
    this.#panics.add({}, 0);
    for (const webhook of paths) {
      for (const code of ['200', '500']) this.#requests.add({ webhook, code }, 0);
      this.#inFlight.set({ webhook }, 0);
    }
  }

  begin(webhook: string): void {
    this.#changeInFlight(webhook, 1);
  }

  end(webhook: string, status: number, durationMs: number): void {
    this.#changeInFlight(webhook, -1);
    this.#requests.add({ webhook, code: String(status) });
    this.#latency.observe({ webhook }, durationMs / 1000);
  }

  panic(): void {
    this.#panics.add({});
  }

  #changeInFlight(webhook: string, by: number): void {
    const now = (this.#underWay.get(webhook) ?? 0) + by;
    this.#underWay.set(webhook, now);
    this.#inFlight.set({ webhook }, now);
  }
}
