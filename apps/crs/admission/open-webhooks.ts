import { join } from 'node:path';
import type { HostPort } from '#kit/config';
import type { KubeClient } from '#kit/kube';
import { WebhookServer } from '#kit/kube/webhooks';
import type { Runnable } from '#kit/reconcile';
import { sleep, systemClock } from '#kit/std';
import type { Logger, Metrics } from '#kit/telemetry';
import type { CrsConfig } from '../config.ts';
import { type CertificateKeeper, openCertificateKeeper } from '../webhook-certificate/certificate-keeper.ts';
import { admissionWebhooks } from './admission-webhooks.ts';

export interface WebhooksOptions {
  readonly config: CrsConfig;
  readonly at: HostPort;
  readonly client: KubeClient;
  /** Namespace of our own certificate. */
  readonly home: string;
  readonly metrics: Metrics;
  readonly log: Logger;
}

export interface Webhooks {
  readonly runnables: readonly Runnable[];
  readonly listening: readonly HostPort[];
  close(): Promise<void>;
}

/** Every process serves the webhooks, leader or not. */
export async function openWebhooks(options: WebhooksOptions, signal: AbortSignal): Promise<Webhooks> {
  const { config, at, metrics, log } = options;
  const { webhookCertDir: folder = '' } = config;
  const keeper = await openKeeper(options, signal);
  const certificate = keeper?.files ?? { certFile: join(folder, 'tls.crt'), keyFile: join(folder, 'tls.key') };
  try {
    const server = await WebhookServer.open(
      { ...at, certificate },
      { webhooks: admissionWebhooks(), metrics, log: log.child({ component: 'webhooks' }) },
    );
    return {
      runnables: [server, ...(keeper ? [keeper] : [])],
      listening: [{ host: at.host, port: server.port }],
      close: async () => await keeper?.close(),
    };
  } catch (error) {
    await keeper?.close();
    throw error;
  }
}

async function openKeeper(
  { config, client, home: namespace, log }: WebhooksOptions,
  signal: AbortSignal,
): Promise<CertificateKeeper | undefined> {
  const { webhookCertSecret: name, webhookName: names, webhookConfiguration: configuration } = config;
  if (name === undefined) return undefined;
  const kept = { client, namespace, name, names, configuration };
  return await openCertificateKeeper({ ...kept, clock: systemClock, sleep, log }, signal);
}
