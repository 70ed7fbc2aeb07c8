import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KubeClient } from '#kit/kube';
import { deny, type Verdict, validatingWebhook, WebhookServer } from '#kit/kube/webhooks';
import { sleep, systemClock } from '#kit/std';
import { createMetrics } from '#kit/telemetry/metrics';
import { memoryLogger } from '#kit/telemetry/testing';
import { issueServerPair, makeAuthority } from '#testing/clusters/certificate-authority';

/** A validating admission webhook of one namespace, which the API server calls for each ConfigMap. */
export interface Judge {
  /** Decides from now on. */
  rule(verdict: () => Promise<Verdict> | Verdict): void;
  close(): Promise<void>;
}

export async function aJudge(client: KubeClient, namespace: string, signal: AbortSignal): Promise<Judge> {
  const folder = await mkdtemp(join(tmpdir(), 'fleetshift-judge-'));
  const certificate = { certFile: join(folder, 'tls.crt'), keyFile: join(folder, 'tls.key') };
  const authority = makeAuthority();
  const pair = issueServerPair(authority, ['127.0.0.1']);
  await Promise.all([writeFile(certificate.certFile, pair.cert), writeFile(certificate.keyFile, pair.key)]);
  let verdict: () => Promise<Verdict> | Verdict = () => deny(NOT_YET);
  const webhook = validatingWebhook({ path: '/judge', validate: () => verdict() });
  const options = { host: '127.0.0.1', port: 0, certificate };
  const { log } = memoryLogger();
  const deps = { webhooks: [webhook], metrics: createMetrics(), log, clock: systemClock, sleep };
  const server = await WebhookServer.open(options, deps);
  const stop = new AbortController();
  const running = server.run(stop.signal).catch(() => undefined);
  const kind = 'ValidatingWebhookConfiguration';
  const resource = await client.discovery.resourceFor('admissionregistration.k8s.io/v1', kind, signal);
  const ref = { resource, name: namespace };
  const close = async (): Promise<void> => {
    await client.delete(ref, {}, AbortSignal.timeout(CLOSE_MS)).catch(() => {});
    stop.abort();
    await running;
    await rm(folder, { recursive: true });
  };
  const configuration = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind,
    metadata: { name: namespace },
    webhooks: [
      {
        name: `judge.${namespace}.example.io`,
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        timeoutSeconds: 30,
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE', 'UPDATE'] }],
        clientConfig: {
          url: `https://127.0.0.1:${server.port}/judge`,
          caBundle: Buffer.from(authority.cert).toString('base64'),
        },
      },
    ],
  };
  await client.apply(ref, configuration, { fieldManager: 'test', force: true }, signal);
  await untilAsked(client, namespace, signal);
  return {
    rule: (next) => {
      verdict = next;
    },
    close,
  };
}

const CLOSE_MS = 30_000;
const NOT_YET = 'the judge has not ruled yet';
const LOOK_MS = 50;

/** The API server learns of its configuration with a delay. */
async function untilAsked(client: KubeClient, namespace: string, signal: AbortSignal): Promise<void> {
  const resource = await client.discovery.resourceFor('v1', 'ConfigMap', signal);
  const probe = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'probe' } };
  for (;;) {
    const said = await client.create({ resource, namespace }, probe, { dryRun: true }, signal).then(
      () => '',
      (error: unknown) => String(error),
    );
    if (said.includes(NOT_YET)) return;
    await sleep(LOOK_MS, signal);
  }
}
