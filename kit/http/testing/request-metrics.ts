import type { RequestObserver } from '../ports.ts';

interface Declared<Name extends string> {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly Name[];
}

/** The subset of the process metrics that is needed to count requests. */
export interface RequestMetrics {
  histogram(options: Declared<'operation' | 'status'> & { readonly buckets: readonly number[] }): {
    observe(labels: { readonly operation: string; readonly status: string }, seconds: number): void;
  };
  gauge(options: Declared<'operation'>): { set(labels: { readonly operation: string }, value: number): void };
}

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Request durations and requests in flight, by operation. */
export function observeRequests(metrics: RequestMetrics): RequestObserver {
  const durations = metrics.histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the headers of a request until the last byte of its response.',
    labels: ['operation', 'status'],
    buckets: BUCKETS,
  });
  const underWay = metrics.gauge({
    name: 'http_requests_in_flight',
    help: 'Requests in flight, including streams.',
    labels: ['operation'],
  });
  return {
    operation: ({ operationId: operation }) => {
      let count = 0;
      return {
        started: () => underWay.set({ operation }, ++count),
        ended: (status, seconds) => {
          underWay.set({ operation }, --count);
          durations.observe({ operation, status: String(status) }, seconds);
        },
      };
    },
  };
}
