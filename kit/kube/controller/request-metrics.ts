import type { Metrics } from '#kit/telemetry';
import type { RequestReport } from '../client/exchange.ts';

/** For `createKubeClient({ observe })`: requests by status code, under client-go's name; once per process. */
export function countRequests(metrics: Metrics): (report: Pick<RequestReport, 'code' | 'method' | 'host'>) => void {
  const requests = metrics.counter({
    name: 'rest_client_requests_total',
    help: 'Number of HTTP requests, partitioned by status code, method, and host.',
    labels: ['code', 'method', 'host'],
  });
  return ({ code, method, host }) => requests.add({ code, method, host });
}
