import type { RequestKind } from '#contexts/api-proxy';
import type { Metrics } from '#kit/telemetry';

export interface DoorWatch {
  /** Called for each request; the returned function is called once, with the status of the response. */
  begin(about: { readonly kind: RequestKind; readonly isUpgrade: boolean }): (status: number) => void;
}

/** Counts all requests; writes and reads of Secrets are in the audit log as well. */
export function doorMetrics(metrics: Metrics): DoorWatch {
  const requests = metrics.counter({
    name: 'fleetshift_api_proxy_requests_total',
    help: 'Requests to the APIs of targets, by kind (read, write, upgrade) and status.',
    labels: ['kind', 'status'],
  });
  const underWay = metrics.gauge({
    name: 'fleetshift_api_proxy_streams',
    help: 'Open requests to the APIs of targets, including watches and upgraded connections.',
    labels: ['kind'],
  });
  const counts = new Map<string, number>();
  const change = (kind: string, by: number): void => {
    const count = (counts.get(kind) ?? 0) + by;
    counts.set(kind, count);
    underWay.set({ kind }, count);
  };
  return {
    begin: ({ kind, isUpgrade }) => {
      const label = isUpgrade ? 'upgrade' : kind;
      change(label, 1);
      return (status) => {
        change(label, -1);
        requests.add({ kind: label, status: String(status) }, 1);
      };
    },
  };
}
