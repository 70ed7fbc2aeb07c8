import { type HostPort, printHostPort } from '#kit/config';
import type { Metrics } from '#kit/telemetry';
import { type Answer, listenPlainly, type PlainListener } from './plain-listener.ts';

export interface WatchingDeps {
  readonly metricsListen: HostPort | undefined;
  readonly healthListen: HostPort | undefined;
  readonly metrics: Metrics;
  /** The reason why the process is not ready; undefined once it can work, as leader or standby. */
  readonly whyUnready: () => string | undefined;
}

/** Serves `/metrics`, `/healthz` and `/readyz`, on one address or on two. */
export async function openWatching(deps: WatchingDeps): Promise<readonly PlainListener[]> {
  const { metricsListen, healthListen, metrics, whyUnready } = deps;
  const forMetrics = {
    '/metrics': async (): Promise<Answer> => ({
      status: 200,
      contentType: metrics.contentType,
      body: await metrics.text(),
    }),
  };
  const forHealth = {
    '/healthz': () => said(200, 'ok'),
    '/readyz': () => {
      const why = whyUnready();
      return why === undefined ? said(200, 'ok') : said(503, why);
    },
  };
  if (metricsListen && healthListen && printHostPort(metricsListen) === printHostPort(healthListen)) {
    return [await listenPlainly(metricsListen, { ...forMetrics, ...forHealth })];
  }
  return [
    ...(metricsListen ? [await listenPlainly(metricsListen, forMetrics)] : []),
    ...(healthListen ? [await listenPlainly(healthListen, forHealth)] : []),
  ];
}

function said(status: number, text: string): Answer {
  return { status, contentType: 'text/plain', body: `${text}\n` };
}
