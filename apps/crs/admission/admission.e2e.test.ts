import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { parseAllDocuments } from 'yaml';
import {
  CORE,
  createKubeClient,
  isKubeError,
  type KubeClient,
  KubeError,
  type KubeObject,
  parseKubeConfig,
  type Resource,
} from '#kit/kube';
import { WebhookServer } from '#kit/kube/webhooks';
import { runAll } from '#kit/reconcile';
import { sleep, systemClock } from '#kit/std';
import { createMetrics } from '#kit/telemetry/metrics';
import { memoryLogger } from '#kit/telemetry/testing';
import { capiUnavailable, installCapiDefinitions } from '#testing/capi';
import { clustersUnavailable, ownCluster } from '#testing/clusters';
import { helmUnavailable, runHelm } from '#testing/helm';
import { CrsProcessError } from '../crs-process-error.ts';
import { refuseNeighbours } from '../neighbour/refuse-neighbours.ts';
import { openCertificateKeeper } from '../webhook-certificate/certificate-keeper.ts';
import { admissionWebhooks } from './admission-webhooks.ts';

const skip = (await clustersUnavailable('apiserver')) ?? (await capiUnavailable()) ?? helmUnavailable();
const CHART = new URL('../../../deploy/charts/fleetshift-crs', import.meta.url).pathname;
const HOME = 'crs-home';
const SETS = addons('clusterresourcesets', 'ClusterResourceSet');
const BINDINGS = addons('clusterresourcesetbindings', 'ClusterResourceSetBinding');
const PLACE = 'default';

describe('admission, as the chart registers it at a real API server', { skip }, () => {
  const cleanUp: (() => Promise<void>)[] = [];
  const { log } = memoryLogger();
  let client: KubeClient;

  before(
    async () => {
      const signal = AbortSignal.timeout(240_000);
      const cleaner = { after: (act: () => Promise<void> | void) => void cleanUp.push(async () => await act()) };
      const cluster = await ownCluster(cleaner, { size: 'apiserver', name: 'crs' }, signal);
      const only = ({ spec }: { readonly spec: { readonly group: string } }) => spec.group.startsWith('addons.');
      await installCapiDefinitions(cluster, { only }, signal);
      client = createKubeClient({ config: parseKubeConfig(cluster.kubeconfig('admin')) });
      cleanUp.push(() => client.close());
      const namespaces = { resource: CORE.namespaces };
      await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: HOME } }, {}, signal);
      cleanUp.push(await serveWebhooks(client, log, signal));
      await untilAsked(client, signal);
    },
    { timeout: 250_000 },
  );

  after(async () => {
    for (const act of cleanUp.toReversed()) await act();
  });

  const create = (object: KubeObject, signal: AbortSignal) =>
    client.create<KubeObject>({ resource: resourceOf(object), namespace: PLACE }, object, {}, signal);

  it('gives a set the strategy that it did not say', async (t) => {
    const made = await create(setOf('defaulted', { matchLabels: { a: 'b' } }), t.signal);
    assert.deepEqual((made as Spec).spec?.['strategy'], 'ApplyOnce');
  });

  for (const { why, selector, says } of [
    { why: 'an empty selector', selector: {}, says: 'Invalid value: {}: selector must not be empty' },
    {
      why: 'a selector that cannot be read',
      selector: { matchExpressions: [{ key: 'a', operator: 'Near', values: ['x'] }] },
      says: '"Near" is not a valid label selector operator',
    },
  ]) {
    it(`refuses ${why}, in the words of Cluster API`, async (t) => {
      await assert.rejects(create(setOf('bad', selector), t.signal), (error) => {
        assert.ok(error instanceof KubeError);
        assert.equal(error.code, 'INVALID');
        assert.ok(
          error.message.includes(
            'admission webhook "validation.clusterresourceset.addons.cluster.x-k8s.io" denied the request: ClusterResourceSet.addons.cluster.x-k8s.io "bad" is invalid: spec.clusterSelector: Invalid value: ',
          ),
          error.message,
        );
        assert.ok(error.message.includes(says), error.message);
        assert.deepEqual(
          (error.faults ?? []).map(({ path }) => path),
          ['/spec/clusterSelector'],
        );
        return true;
      });
    });
  }

  it('refuses another strategy and another selector, and lets the resources change', async (t) => {
    const made = await create(setOf('fixed', { matchLabels: { a: 'b' } }), t.signal);
    const ref = { resource: SETS, namespace: PLACE, name: 'fixed' };
    const change = (spec: object) => client.patch(ref, { type: 'merge', patch: { spec } }, {}, t.signal);
    await assert.rejects(
      change({ strategy: 'Reconcile' }),
      said('spec.strategy: Invalid value: "Reconcile": field is immutable'),
    );
    await assert.rejects(
      change({ clusterSelector: { matchLabels: { a: 'c' } } }),
      said('spec.clusterSelector: Invalid value: {"matchLabels":{"a":"c"}}: field is immutable'),
    );
    const changed = await change({ resources: [{ kind: 'Secret', name: 'other' }] });
    assert.notEqual(changed.metadata.resourceVersion, made.metadata.resourceVersion);
    await client.delete(ref, {}, t.signal);
  });

  it('refuses another cluster of a binding, and none', async (t) => {
    await create(bindingOf('one'), t.signal);
    const ref = { resource: BINDINGS, namespace: PLACE, name: 'one' };
    const change = (clusterName: string) =>
      client.patch(ref, { type: 'merge', patch: { spec: { clusterName } } }, {}, t.signal);
    await assert.rejects(change('two'), said('spec.clusterName: Invalid value: "two": field is immutable'));
    await client.delete(ref, {}, t.signal);
  });

  it('whoever wrote the status of a set a moment ago, and is not us, is another controller', async (t) => {
    await create(setOf('traced', { matchLabels: { a: 'b' } }), t.signal);
    const ref = { resource: SETS, namespace: PLACE, name: 'traced' };
    const write = async (observedGeneration: number, fieldManager: string) => {
      const patch = { status: { observedGeneration } };
      await client.patch(ref, { type: 'merge', patch }, { subresource: 'status', fieldManager }, t.signal);
    };
    const deps = { client, sleep, log, ours: {}, sets: SETS };
    await write(1, 'fleetshift-crs');
    await refuseNeighbours({ ...deps, clock: systemClock }, t.signal);
    await write(2, 'manager');
    await assert.rejects(
      refuseNeighbours({ ...deps, clock: systemClock }, t.signal),
      (error) =>
        error instanceof CrsProcessError &&
        error.message.includes('manager wrote the status of ClusterResourceSet default/traced'),
    );
    const later = { now: () => systemClock.now() + 300_000 };
    await refuseNeighbours({ ...deps, clock: later }, t.signal);
  });
});

type Spec = KubeObject & { readonly spec?: Readonly<Record<string, unknown>> };

/** Runs the webhook server, registered as in the chart, at a Service that leads to this machine. */
async function serveWebhooks(
  client: KubeClient,
  log: ReturnType<typeof memoryLogger>['log'],
  signal: AbortSignal,
): Promise<() => Promise<void>> {
  const name = 'fleetshift-crs-webhook';
  const names = [`${name}.${HOME}.svc`];
  const own = { client, namespace: HOME, name, names, configuration: 'fleetshift-crs' };
  const stop = new AbortController();
  const first = await openCertificateKeeper({ ...own, clock: systemClock, sleep, log }, signal);
  const server = await WebhookServer.open(
    { host: '127.0.0.1', port: 0, certificate: first.files },
    { webhooks: admissionWebhooks(), metrics: createMetrics(), log },
  );
  for (const object of await rendered(server.port)) {
    const shown = object.kind === 'Service' ? leadingHere(object) : object;
    await client.create(
      { resource: resourceOf(shown), ...(shown.metadata.namespace && { namespace: HOME }) },
      shown,
      {},
      signal,
    );
  }
  // Like a second replica: it finds the existing certificate, and writes the CA into the new configurations.
  const keeper = await openCertificateKeeper({ ...own, clock: systemClock, sleep, log }, signal);
  const running = runAll([server, keeper], stop.signal);
  return async () => {
    stop.abort();
    await running;
    await Promise.all([first.close(), keeper.close()]);
  };
}

/** The API server needs a moment to pick up the registration. */
async function untilAsked(client: KubeClient, signal: AbortSignal): Promise<void> {
  const ref = { resource: SETS, namespace: PLACE };
  const tried = (selector: object) =>
    client.create<Spec>(ref, setOf('tried', selector), { dryRun: true }, signal).then(
      ({ spec }) => spec?.['strategy'],
      (error: unknown) => isKubeError(error, 'INVALID'),
    );
  while ((await tried({})) !== true || (await tried({ matchLabels: { a: 'b' } })) !== 'ApplyOnce') {
    await sleep(50, signal);
  }
}

const WANTED = new Set(['Service', 'MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration']);

async function rendered(port: number): Promise<KubeObject[]> {
  const folder = await mkdtemp(join(tmpdir(), 'crs-chart-'));
  try {
    const args = ['template', 'crs', CHART, '--namespace', HOME, '--set', `webhooks.port=${port}`];
    const { code, stdout, stderr } = await runHelm({ args, folder });
    assert.equal(code, 0, stderr);
    return parseAllDocuments(stdout)
      .map((document) => document.toJS() as KubeObject)
      .filter((object) => WANTED.has(object?.kind ?? ''));
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Service addresses are not routed here, so the URL uses a host name. */
function leadingHere({ apiVersion, kind, metadata }: KubeObject): KubeObject {
  const { name = '', namespace = '' } = metadata;
  const spec = { type: 'ExternalName', externalName: '127.0.0.1' };
  return { apiVersion, kind, metadata: { name, namespace }, spec } as KubeObject;
}

function said(text: string) {
  return (error: unknown): boolean => isKubeError(error, 'INVALID') && error.message.includes(text);
}

function setOf(name: string, clusterSelector: object): KubeObject {
  const spec = { clusterSelector, resources: [{ kind: 'ConfigMap', name: 'x' }] };
  return { apiVersion: 'addons.cluster.x-k8s.io/v1beta2', kind: SETS.kind, metadata: { name }, spec } as KubeObject;
}

function bindingOf(clusterName: string): KubeObject {
  const metadata = { name: clusterName };
  return {
    apiVersion: 'addons.cluster.x-k8s.io/v1beta2',
    kind: BINDINGS.kind,
    metadata,
    spec: { clusterName },
  } as KubeObject;
}

function resourceOf({ kind }: KubeObject): Resource {
  if (kind === 'Service') return CORE.services;
  if (kind === SETS.kind) return SETS;
  if (kind === BINDINGS.kind) return BINDINGS;
  const plural = `${kind.toLowerCase()}s`;
  return { group: 'admissionregistration.k8s.io', version: 'v1', plural, kind, namespaced: false };
}

function addons(plural: string, kind: string): Resource {
  return { group: 'addons.cluster.x-k8s.io', version: 'v1beta2', plural, kind, namespaced: true };
}
