import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { sleep } from '#kit/std';
import type { Metrics } from '#kit/telemetry';
import { createMetrics } from '#kit/telemetry/metrics';
import { memoryLogger } from '#kit/telemetry/testing';
import { clustersUnavailable, sharedCluster, type TestCluster } from '#testing/clusters';
import { issueServerPair, type KeyPair, makeAuthority } from '#testing/clusters/certificate-authority';
import { FakeClock } from '#testing/fake-clock';
import { PATIENCE_MS } from '#testing/patience';
import { createKubeClient } from '../client/create-kube-client.ts';
import type { KubeClient } from '../client/kube-client.ts';
import type { KubeObject, Resource } from '../client/kube-object.ts';
import { parseKubeConfig } from '../config/load-kube-config.ts';
import { isKubeError, type KubeError } from '../kube-error.ts';
import {
  type WebhookPlace,
  type Widget,
  webhookConfiguration,
  widgetCrd,
  widgetWebhooks,
} from './testing/widget-definitions.ts';
import { WebhookServer } from './webhook-server.ts';

const GROUP = `w${randomBytes(4).toString('hex')}.example.io`;
const APPLY = { fieldManager: 'test', force: true };

describe('webhooks that a real API server asks', { skip: (await clustersUnavailable()) ?? false }, () => {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const folder = mkdtempSync(join(tmpdir(), 'webhooks-'));
  const files = { certFile: join(folder, 'tls.crt'), keyFile: join(folder, 'tls.key') };
  const clock = new FakeClock(Date.now());
  const metrics: Metrics = createMetrics();
  const { log, lines } = memoryLogger();
  const stop = new AbortController();
  const cleanups: (() => Promise<unknown>)[] = [];
  let cluster: TestCluster;
  let client: KubeClient;
  let server: WebhookServer;
  let namespace: string;

  before(async () => {
    cluster = await sharedCluster('apiserver', signal);
    client = createKubeClient({ config: parseKubeConfig(cluster.kubeconfig()) });
    namespace = await cluster.namespace({ after: (body) => cleanups.push(async () => await body()) });
    const authority = makeAuthority();
    install(issueServerPair(authority, ['127.0.0.1']));
    const options = { host: '127.0.0.1', port: 0, certificate: files };
    server = await WebhookServer.open(options, { webhooks: widgetWebhooks, metrics, log, clock, sleep: clock.sleep });
    const running = server.run(stop.signal).catch(() => undefined);
    cleanups.push(async () => {
      stop.abort();
      await running;
    });
    await configure(authority.cert);
    await untilServed();
  });

  after(async () => {
    const fresh = AbortSignal.timeout(PATIENCE_MS);
    for (const object of configurations({ group: GROUP, port: 1, ca: '' })) {
      const ref = { resource: await client.discovery.resourceFor(object.apiVersion, object.kind, fresh) };
      await client.delete({ ...ref, name: object.metadata.name ?? '' }, {}, fresh);
    }
    for (const clean of cleanups.toReversed()) await clean();
    await client.close();
    rmSync(folder, { recursive: true });
  });

  function install({ cert, key }: KeyPair): void {
    writeFileSync(files.certFile, cert);
    writeFileSync(files.keyFile, key);
  }

  async function configure(ca: string): Promise<void> {
    for (const object of configurations({ group: GROUP, port: server.port, ca })) {
      const resource = await client.discovery.resourceFor(object.apiVersion, object.kind, signal);
      await client.apply({ resource, name: object.metadata.name ?? '' }, object, APPLY, signal);
    }
  }

  /** Waits until the API server, which learns of its configuration with a delay, calls all of the webhooks. */
  async function untilServed(): Promise<void> {
    await eventually(async () => {
      await assert.rejects(create('v2', { paint: 'red' }), refusal('INVALID', /no red here/));
      const { spec } = await create('v1', { color: 'green' });
      assert.equal(spec.size, 1);
    });
  }

  async function eventually(body: () => Promise<void>): Promise<void> {
    for (;;) {
      try {
        return await body();
      } catch (error) {
        if (signal.aborted) throw error;
        await sleep(100, signal);
      }
    }
  }

  async function create(version: 'v1' | 'v2', spec: Widget['spec']): Promise<Widget> {
    const widget: Widget = {
      apiVersion: `${GROUP}/${version}`,
      kind: 'Widget',
      metadata: { generateName: 'widget-' },
      spec,
    };
    return await client.create({ resource: widgets(version), namespace }, widget, {}, signal);
  }

  async function read(version: 'v1' | 'v2', { metadata }: Widget): Promise<Widget> {
    return await client.get({ resource: widgets(version), namespace, name: metadata.name ?? '' }, signal);
  }

  it('is validated: what is denied says why, with the field', async () => {
    await assert.rejects(create('v1', { color: 'red' }), (error) => {
      assert.ok(refusal('INVALID', /denied the request: no red here/)(error));
      assert.deepEqual(
        (error as KubeError).faults.map(({ message }) => message),
        ['is red'],
      );
      return true;
    });
  });

  it('is defaulted, and what was given stays', async () => {
    assert.deepEqual((await create('v1', { color: 'green' })).spec, { color: 'green', size: 1 });
    assert.deepEqual((await create('v1', { color: 'green', size: 7 })).spec, { color: 'green', size: 7 });
  });

  it('is converted both ways, one by one and in lists', async () => {
    const second = await create('v2', { paint: 'blue' });
    assert.deepEqual(second.spec, { paint: 'blue', size: 1 });
    assert.deepEqual((await read('v1', second)).spec, { color: 'blue', size: 1 });
    await create('v1', { color: 'grey' });
    const { items } = await client.list<Widget>({ resource: widgets('v2'), namespace }, {}, signal);
    assert.ok(items.some(({ spec }) => spec.paint === 'grey') && items.every(({ spec }) => !spec.color));
  });

  it('warns whoever asked', async () => {
    const widget = { apiVersion: `${GROUP}/v1`, kind: 'Widget', metadata: { name: 'pink' }, spec: { color: 'pink' } };
    const file = join(folder, 'pink.json');
    writeFileSync(file, JSON.stringify(widget));
    const { stderr, code } = await cluster.kubectl(['create', '-n', namespace, '-f', file]);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /Warning: pink fades/);
  });

  it('denies when it breaks down, and goes on', async () => {
    await assert.rejects(create('v1', { color: 'boom' }), refusal('SERVER_ERROR', /could not decide/));
    await create('v1', { color: 'green' });
    assert.match(await metrics.text(), /^controller_runtime_webhook_panics_total 1$/m);
    assert.ok(lines.some(({ level, path }) => level === 'error' && path === '/validate'));
  });

  it('serves a new certificate of a new authority without a restart', async () => {
    const authority = makeAuthority();
    await configure(authority.cert);
    const distrusted = refusal('SERVER_ERROR', /certificate signed by unknown authority/);
    await eventually(() => assert.rejects(create('v1', { color: 'green' }), distrusted));
    install(issueServerPair(authority, ['127.0.0.1']));
    await clock.untilSleeping();
    await clock.advance(10_000);
    await untilServed();
    assert.ok(lines.some(({ msg }) => msg === 'serving a renewed certificate'));
  });
});

function configurations(place: WebhookPlace): KubeObject[] {
  return [widgetCrd(place), webhookConfiguration('Mutating', place), webhookConfiguration('Validating', place)];
}

function widgets(version: 'v1' | 'v2'): Resource {
  return { group: GROUP, version, plural: 'widgets', kind: 'Widget', namespaced: true };
}

function refusal(code: KubeError['code'], message: RegExp): (error: unknown) => boolean {
  return (error) => {
    assert.ok(isKubeError(error, code), String(error));
    const status = JSON.stringify(error.details);
    assert.match(status, message);
    return true;
  };
}
