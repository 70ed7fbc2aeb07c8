import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type HostPort, printHostPort } from '#kit/config';
import { FleetletError } from '../fleetlet-error.ts';

export interface MetricsListenerDeps {
  readonly at: HostPort;
  readonly isHealthy: () => { readonly healthy: boolean; readonly text: string };
  /** For `/readyz`; default: same as `isHealthy`. */
  readonly isReady?: () => { readonly healthy: boolean; readonly text: string };
  readonly metrics: () => Promise<string>;
  readonly contentType: string;
}

export interface MetricsListener {
  readonly address: HostPort;
  close(): Promise<void>;
}

/** Serves `/healthz`, `/readyz` and `/metrics`, and nothing else. */
export async function listenMetrics(deps: MetricsListenerDeps): Promise<MetricsListener> {
  const server = createServer(answering(deps));
  server.requestTimeout = 10_000;
  server.maxConnections = 32;
  try {
    server.listen(deps.at);
    await once(server, 'listening');
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new FleetletError('ADDRESS_UNUSABLE', `--metrics-listen ${printHostPort(deps.at)}: ${why}`, { cause });
  }
  return {
    address: { host: deps.at.host, port: (server.address() as AddressInfo).port },
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function answering({ isHealthy, isReady = isHealthy, metrics, contentType }: MetricsListenerDeps): RequestListener {
  const probes = new Map([
    ['/healthz', isHealthy],
    ['/readyz', isReady],
  ]);
  return (request, response) => {
    const path = request.url?.split('?')[0];
    const probe = probes.get(path ?? '');
    if (request.method !== 'GET' || (probe === undefined && path !== '/metrics')) {
      response.writeHead(404).end();
      return;
    }
    if (probe !== undefined) {
      const { healthy, text } = probe();
      response.writeHead(healthy ? 200 : 503, { 'content-type': 'text/plain' }).end(`${text}\n`);
      return;
    }
    metrics().then(
      (text) => response.writeHead(200, { 'content-type': contentType }).end(text),
      () => response.writeHead(500).end(),
    );
  };
}
