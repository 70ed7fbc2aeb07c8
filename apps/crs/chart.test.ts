import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parseAllDocuments, stringify } from 'yaml';
import { helmUnavailable, runHelm } from '#testing/helm';
import packageJson from '../../package.json' with { type: 'json' };
import { admissionWebhooks } from './admission/admission-webhooks.ts';
import { resolveCrsConfig } from './config.ts';

const skip = helmUnavailable();
const CHART = join(import.meta.dirname, '../../deploy/charts/fleetshift-crs');
const PEM = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';

interface Rendered {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules?: readonly { readonly resources: readonly string[]; readonly verbs: readonly string[] }[];
  readonly webhooks?: readonly {
    readonly clientConfig: { readonly service: { readonly path: string }; caBundle?: string };
  }[];
  readonly spec?: {
    readonly template?: {
      readonly spec: { readonly containers: readonly { readonly image: string; readonly args: readonly string[] }[] };
    };
  };
}

async function template(values: object): Promise<{ readonly code: number | null; readonly said: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'crs-chart-'));
  try {
    const file = join(folder, 'values.yaml');
    await writeFile(file, stringify(values));
    const args = ['template', 'crs', CHART, '--namespace', 'home', '--values', file];
    const { code, stdout, stderr } = await runHelm({ args, folder });
    return { code, said: code === 0 ? stdout : stderr };
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function render(values: object): Promise<readonly Rendered[]> {
  const { code, said } = await template(values);
  assert.equal(code, 0, said);
  return parseAllDocuments(said)
    .map((document): unknown => document.toJS())
    .filter((object): object is Rendered => object !== null);
}

function processOf(objects: readonly Rendered[]) {
  const [container] = objects.find(({ kind }) => kind === 'Deployment')?.spec?.template?.spec.containers ?? [];
  assert.ok(container);
  const [command, ...args] = container.args;
  assert.equal(command, 'crs');
  return { image: container.image, config: resolveCrsConfig({ args, environment: {}, readText: () => '' }).values };
}

describe('the chart of fleetshift crs', { skip }, () => {
  it('starts the process with settings that it knows, as Cluster API does unless told', async () => {
    const { image, config } = processOf(await render({}));
    assert.equal(image, `fleetshift:${packageJson.version}`);
    assert.deepEqual([config.leaderElect, config.leaderElectNamespace], [true, 'home']);
    assert.deepEqual(
      [config.prune, config.serverSideApply, config.keepResources, config.driftRepair],
      [false, false, false, undefined],
    );
    assert.deepEqual(config.webhookName, ['fleetshift-crs-webhook.home.svc']);
  });

  it('passes on everything that it is told', async () => {
    const values = {
      namespace: 'fleet',
      watchFilter: 'ours',
      concurrency: 3,
      syncPeriod: '1h',
      options: { serverSideApply: true, driftRepair: '5m', prune: true, keepResources: true },
      platform: { url: 'https://fleet.example', ca: PEM, tokenSecret: 'token' },
      webhooks: { certificate: 'secret', secretName: 'certificate', ca: PEM },
    };
    const { config } = processOf(await render(values));
    assert.deepEqual(
      [config.namespace, config.watchFilter, config.concurrency, config.syncPeriod],
      ['fleet', 'ours', 3, 3_600_000],
    );
    assert.deepEqual(
      [config.serverSideApply, config.driftRepair, config.prune, config.keepResources],
      [true, 300_000, true, true],
    );
    assert.equal(config.platformUrl?.href, 'https://fleet.example/');
    assert.deepEqual([config.webhookCertDir, config.webhookCertSecret], ['/etc/fleetshift/webhook', undefined]);
  });

  it('registers the webhooks that the process serves, with an authority only where it has one', async () => {
    const served = admissionWebhooks()
      .map(({ path }) => path)
      .toSorted();
    for (const [values, caBundle] of [
      [{}, undefined],
      [{ webhooks: { certificate: 'secret', secretName: 's', ca: PEM } }, Buffer.from(PEM).toString('base64')],
    ] as const) {
      const webhooks = (await render(values)).flatMap((object) => object.webhooks ?? []);
      assert.deepEqual(webhooks.map(({ clientConfig }) => clientConfig.service.path).toSorted(), served);
      assert.deepEqual(new Set(webhooks.map(({ clientConfig }) => clientConfig.caBundle)), new Set([caBundle]));
    }
    const without = await render({ webhooks: { enabled: false } });
    assert.ok(!without.some(({ kind }) => kind === 'Service' || kind.endsWith('WebhookConfiguration')));
    assert.equal(processOf(without).config.webhookListen, undefined);
  });

  it('asks for no more rights than it needs', async () => {
    const secretRights = (objects: readonly Rendered[], kind: string) =>
      objects
        .filter((object) => object.kind === kind)
        .flatMap(({ rules = [] }) => rules)
        .filter(({ resources }) => resources.includes('secrets'))
        .flatMap(({ verbs }) => verbs);
    const everywhere = await render({ webhooks: { enabled: false } });
    assert.deepEqual(secretRights(everywhere, 'ClusterRole'), ['get', 'list', 'watch', 'patch']);
    const inOne = await render({ namespace: 'fleet', webhooks: { enabled: false } });
    assert.deepEqual(secretRights(inOne, 'ClusterRole'), []);
    assert.deepEqual(secretRights(inOne, 'Role'), ['get', 'list', 'watch', 'patch']);
    const wild = JSON.stringify([...everywhere, ...inOne].map(({ rules }) => rules));
    assert.ok(!wild.includes('*'), 'a right to everything');
  });

  for (const { why, values, says } of [
    { why: 'a value that nobody knows', values: { prune: true }, says: /prune/ },
    { why: 'an issuer that is not named', values: { webhooks: { certificate: 'cert-manager' } }, says: /issuer/ },
    { why: 'a Secret that is not named', values: { webhooks: { certificate: 'secret', ca: PEM } }, says: /secretName/ },
    { why: 'a platform without a token', values: { platform: { url: 'https://f.example' } }, says: /tokenSecret/ },
    { why: 'a token in the clear', values: { platform: { url: 'http://f.example', tokenSecret: 't' } }, says: /url/ },
    { why: 'a time that is none', values: { syncPeriod: 'soon' }, says: /syncPeriod/ },
  ]) {
    it(`refuses ${why}`, async () => {
      const { code, said } = await template(values);
      assert.notEqual(code, 0);
      assert.match(said, says);
    });
  }
});
