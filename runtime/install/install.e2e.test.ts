import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parseAllDocuments, stringify } from 'yaml';
import { clustersUnavailable } from '#testing/clusters';
import { helmUnavailable, runHelm } from '#testing/helm';
import { FLEETLET_WITH_SETTINGS } from '../../apps/fleetlet-with-kubernetes/config.ts';
import { clusterInventory, differences } from '../../testing/clusters/cluster-inventory.ts';
import {
  deploy,
  eventually,
  manifestOf,
  NAMESPACE,
  openStage,
  pathOf,
  type Stage,
  TARGET,
  untilConnected,
} from './testing/installed-cluster.ts';
import { CHART } from './testing/render-chart.ts';
import { keepsItsNamespace, letsUsersThrough } from './testing/rights-steps.ts';

/** Another cluster of the fleet, without an agent. */
const OTHER = 'eu-2';

const isKnown = 'identity-secret' in FLEETLET_WITH_SETTINGS;
const skip = isKnown ? await clustersUnavailable('nodes') : 'fleetlets do not keep their identity in a Secret yet';

describe('a cluster that the manifest was applied to', { skip }, () => {
  it('is a target, delivers what it may, stays the same one, and is upgraded by a deployment', async (t) => {
    const stage = await openStage(t, t.signal);
    await install(stage);
    await t.test('gets what it may, with the rights of the manifest', () => delivers(stage));
    await t.test('says which right is missing for what it may not', () => refuses(stage));
    await t.test('takes nothing for its own namespace', () => keepsItsNamespace(stage));
    await t.test('lets users through to its API, in their namespaces', () => letsUsersThrough(stage));
    await t.test('is the same fleetlet after its Pod is gone', () => survivesItsPod(stage));
    await t.test('is upgraded by a rollout, canary first', () => upgrades(stage));
    await t.test('stops the rollout of an image that does not start, and goes back', () => stopsAtABadImage(stage));
    await t.test('stays when the deployment that upgraded it is deleted', () => survivesItsDeployment(stage));
  });
});

describe('a cluster that the chart was installed in', { skip: skip ?? helmUnavailable() }, () => {
  it('is a target, is upgraded as the same one, and is left as it was found', async (t) => {
    const stage = await openStage(t, t.signal);
    const folder = await mkdtemp(join(tmpdir(), 'fleetshift-helm-'));
    t.after(() => rm(folder, { recursive: true }));
    const helm = helmOf(stage, folder);
    const token = await stage.fleetshift(
      'target',
      'enroll',
      TARGET,
      '--type',
      'kubernetes',
      '-w',
      'root',
      '-o',
      'json',
    );
    const { url, caFile } = stage.address;
    const values = ['--set', `platform.url=${url}`, '--set-file', `platform.ca=${caFile}`, '--set', `target=${TARGET}`];
    const secret = ['--set', `bootstrapToken=${JSON.parse(token).token}`];
    const before = await clusterInventory(stage.cluster, t.signal);
    await helm('install', 'agent', CHART, '--create-namespace', ...values, ...secret, '--set', 'image.tag=v1');
    await untilConnected(stage, TARGET);
    const fleetlets = await stage.get<Fleetlets>('/v1/fleetlets');
    const first = await readyPodOtherThan(stage, '');

    // Without the token, which was used up: the identity Secret is enough.
    await helm('upgrade', 'agent', CHART, ...values, '--set', 'image.tag=v2', '--wait', '--timeout', '100s');
    await readyPodOtherThan(stage, first);
    assert.equal(await imageOf(stage), 'fleetshift:v2');
    await untilConnected(stage, TARGET);
    assert.deepEqual(
      uidsOf(await stage.get<Fleetlets>('/v1/fleetlets')),
      uidsOf(fleetlets),
      'nobody has enrolled anew',
    );

    await helm('uninstall', 'agent');
    // Helm creates the namespace, and never deletes it.
    const kept = [
      `namespaces ${NAMESPACE}`,
      `configmaps ${NAMESPACE}/kube-root-ca.crt`,
      `serviceaccounts ${NAMESPACE}/default`,
    ];
    await eventually(
      'the cluster is as it was',
      async () => differences(before, await clusterInventory(stage.cluster, t.signal)),
      (found) => found.every((each) => kept.some((key) => each === `left: ${key}`)),
    );
  });
});

function helmOf({ cluster }: Stage, folder: string) {
  return async (...args: string[]): Promise<void> => {
    const call = { args: [...args, '--namespace', NAMESPACE], folder, kubeconfig: cluster.kubeconfigFile() };
    const { code, stdout, stderr } = await runHelm(call);
    assert.equal(code, 0, `helm ${args[0]}: ${stdout}${stderr}`);
  };
}

async function install(stage: Stage): Promise<void> {
  const { kubectl } = stage;
  const manifest = await manifestOf(stage);
  await kubectl(['apply', '-f', '-'], manifest);
  await untilConnected(stage, TARGET);
  const again = await kubectl(['apply', '-f', '-'], manifest);
  assert.doesNotMatch(again, / created$/m);
  assert.match(again, /^deployment.apps\/fleetshift-agent unchanged$/m);
  await kubectl(['-n', NAMESPACE, 'wait', '--for=condition=Available', 'deployment/fleetshift-agent', '--timeout=60s']);
}

interface Seen {
  readonly status: {
    readonly counts: { readonly available: number; readonly degraded: number };
    readonly rollout?: { readonly steps: readonly { readonly name: string; readonly fate: string }[] };
  };
}

async function patch({ platform }: Stage, name: string, documents: readonly object[]): Promise<void> {
  const body = { manifest: { type: 'inline', documents } };
  const headers = { 'content-type': 'application/merge-patch+json' };
  const answer = await platform.request(pathOf(name), { method: 'PATCH', body, headers });
  assert.equal(answer.status, 200, await answer.text());
}

async function delivers(stage: Stage): Promise<void> {
  await deploy(stage, 'shop', [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'shop', namespace: 'shop' }, data: { a: 'b' } },
  ]);
  await eventually(
    'the shop is there',
    () => stage.get<Seen>(pathOf('shop')),
    ({ status }) => status.counts.available === 1,
  );
  assert.equal(await stage.kubectl(['-n', 'shop', 'get', 'configmap', 'shop', '-o', 'jsonpath={.data.a}']), 'b');
}

async function refuses(stage: Stage): Promise<void> {
  const quota = (pods: string) => {
    const metadata = { name: 'q', namespace: 'shop' };
    return { apiVersion: 'v1', kind: 'ResourceQuota', metadata, spec: { hard: { pods } } };
  };
  await deploy(stage, 'quota', [quota('1')]);
  const seen = await eventually(
    'the quota is refused',
    () => stage.get<object>(`${pathOf('quota')}/targets`),
    (targets) => /forbidden/i.test(JSON.stringify(targets)),
  );
  assert.match(JSON.stringify(seen), /resourcequotas/, 'it names what it may not');
  const role = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'quotas', labels: { 'fleetshift.io/aggregate-to-agent': 'true' } },
    rules: [{ apiGroups: [''], resources: ['resourcequotas'], verbs: ['*'] }],
  };
  await stage.kubectl(['apply', '-f', '-'], stringify(role));
  await patch(stage, 'quota', [quota('2')]);
  await eventually(
    'the quota is there',
    () => stage.get<Seen>(pathOf('quota')),
    ({ status }) => status.counts.available === 1,
  );
}

interface Fleetlets {
  readonly items: readonly { readonly name: string; readonly uid: string }[];
}

async function survivesItsPod(stage: Stage): Promise<void> {
  const before = await stage.get<Fleetlets>('/v1/fleetlets');
  const pods = await podsOf(stage);
  await stage.kubectl(['-n', NAMESPACE, 'delete', 'pod', ...pods, '--wait=true']);
  await readyPodOtherThan(stage, pods[0]);
  await untilConnected(stage, TARGET);
  assert.deepEqual(uidsOf(await stage.get<Fleetlets>('/v1/fleetlets')), uidsOf(before), 'nobody has enrolled anew');
}

function uidsOf({ items }: Fleetlets): string[] {
  return items.map(({ uid }) => uid).toSorted();
}

/** Waits until it is the only Pod and ready. */
async function readyPodOtherThan(stage: Stage, other: string | undefined): Promise<string> {
  const [name = ''] = await eventually(
    'another Pod alone is ready',
    () => readyPods(stage),
    (ready) => ready.length === 1 && ready[0] !== other,
  );
  return name;
}

/** A deployment with stages of one target each, of which the second is unreachable. */
async function upgradeDeployment(stage: Stage): Promise<void> {
  const { platform } = stage;
  const other = { name: OTHER, type: 'kubernetes', workspace: 'root', labels: { stage: 'production' } };
  assert.equal((await platform.request('/v1/targets', { method: 'POST', body: other })).status, 201);
  await stage.fleetshift('label', 'target', TARGET, 'stage=canary');
  const body = {
    name: 'agents',
    manifest: { type: 'inline', documents: await upgradeTo(stage, 'fleetshift:v2') },
    placement: [{ type: 'static', targets: [TARGET, OTHER] }],
    rollout: {
      type: 'staged',
      stages: [
        { name: 'canary', selector: { matchLabels: { stage: 'canary' } } },
        { name: 'production', selector: { matchLabels: { stage: 'production' } } },
      ],
    },
  };
  const answer = await platform.request('/v1/workspaces/root/deployments', { method: 'POST', body });
  assert.equal(answer.status, 201, await answer.text());
}

async function upgradeTo({ fleetshift }: Stage, image: string): Promise<object[]> {
  const text = await fleetshift('target', 'install-manifest', '--as-deployment', '--image', image);
  return parseAllDocuments(text).map((document) => document.toJS() as object);
}

async function upgrades(stage: Stage): Promise<void> {
  const before = await readyPods(stage);
  await upgradeDeployment(stage);
  await readyPodOtherThan(stage, before[0]);
  assert.equal(await imageOf(stage), 'fleetshift:v2');
  // The old process accepted the order, and the new one reported its end.
  const passed = (seen: Seen): boolean => isAvailableOnCanary(seen) && fateOf(seen, 'production') === 'open';
  await eventually('the canary has it, and the others follow', () => stage.get<Seen>(pathOf('agents')), passed);
}

const isAvailableOnCanary = ({ status }: Seen): boolean => status.counts.available === 1;

function fateOf({ status }: Seen, stage: string): string | undefined {
  return status.rollout?.steps.find(({ name }) => name === stage)?.fate;
}

async function stopsAtABadImage(stage: Stage): Promise<void> {
  const good = await readyPods(stage);
  await patch(stage, 'agents', await upgradeTo(stage, 'fleetshift:broken'));
  const seen = await eventually(
    'the canary is degraded',
    () => stage.get<Seen>(pathOf('agents')),
    ({ status }) => status.counts.degraded === 1,
  );
  assert.equal(fateOf(seen, 'production'), 'ahead', 'nobody else gets it');
  assert.deepEqual(await readyPods(stage), good, 'the one before is still there to say so');
  await stage.fleetshift('rollout', 'rollback', 'agents', '--to', '1', '-w', 'root', '--yes');
  await eventually(
    'the image is the one before',
    () => imageOf(stage),
    (image) => image === 'fleetshift:v2',
  );
  await eventually('the canary is well', () => stage.get<Seen>(pathOf('agents')), isAvailableOnCanary);
}

/** The agent carries out the removal of the deployment that brought its own image. */
async function survivesItsDeployment(stage: Stage): Promise<void> {
  const uid = ['-n', NAMESPACE, 'get', 'deployment', 'fleetshift-agent', '-o', 'jsonpath={.metadata.uid}'];
  const [before, pods] = [await stage.kubectl(uid), await readyPods(stage)];
  for (const path of [`/v1/targets/${OTHER}?force=true`, pathOf('agents')]) {
    const answer = await stage.platform.request(path, { method: 'DELETE' });
    assert.ok(answer.ok, `${path}: ${await answer.text()}`);
  }
  await eventually(
    'the deployment is gone',
    async () => (await stage.platform.request(pathOf('agents'))).status,
    (status) => status === 404,
  );
  assert.deepEqual([await stage.kubectl(uid), await readyPods(stage)], [before, pods]);
  assert.equal(await imageOf(stage), 'fleetshift:v2', 'its image stays, too');
  await deploy(stage, 'after', [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'after', namespace: 'shop' }, data: { a: 'b' } },
  ]);
  await eventually('it serves the target', () => stage.get<Seen>(pathOf('after')), isAvailableOnCanary);
}

async function podsOf({ kubectl }: Stage): Promise<string[]> {
  const out = await kubectl(['-n', NAMESPACE, 'get', 'pods', '-o', 'jsonpath={.items[*].metadata.name}']);
  return out.split(' ').filter((name) => name !== '');
}

interface PodList {
  readonly items: readonly {
    readonly metadata: { readonly name: string; readonly deletionTimestamp?: string };
    readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
  }[];
}

async function readyPods({ kubectl }: Stage): Promise<string[]> {
  const { items } = JSON.parse(await kubectl(['-n', NAMESPACE, 'get', 'pods', '-o', 'json'])) as PodList;
  return items
    .filter(({ metadata, status }) => {
      const isReady = status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true;
      return isReady && metadata.deletionTimestamp === undefined;
    })
    .map(({ metadata }) => metadata.name);
}

async function imageOf({ kubectl }: Stage): Promise<string> {
  const path = 'jsonpath={.spec.template.spec.containers[0].image}';
  return await kubectl(['-n', NAMESPACE, 'get', 'deployment', 'fleetshift-agent', '-o', path]);
}
