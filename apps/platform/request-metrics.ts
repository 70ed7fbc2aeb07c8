import type { RequestObserver } from '#kit/http';
import type { Metrics } from '#kit/telemetry';

/** From the fastest response to the request timeout. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Requests by operation, never by path: paths contain names, so their number is unbounded. */
export function requestMetrics(metrics: Metrics): RequestObserver {
  const durations = metrics.histogram({
    name: 'fleetshift_http_request_duration_seconds',
    help: 'How long requests took, by operation and status.',
    labels: ['operation', 'method', 'status'],
    buckets: SECONDS,
  });
  const underWay = metrics.gauge({
    name: 'fleetshift_http_requests_in_flight',
    help: 'Open requests, including event streams, by operation.',
    labels: ['operation'],
  });
  return {
    operation({ operationId: operation, method }) {
      let count = 0;
      return {
        started: () => underWay.set({ operation }, ++count),
        ended: (status, seconds) => {
          underWay.set({ operation }, --count);
          durations.observe({ operation, method, status: String(status) }, seconds);
        },
      };
    },
  };
}
