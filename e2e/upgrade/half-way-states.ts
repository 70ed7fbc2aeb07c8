import assert from 'node:assert/strict';
import { existsSync, mkdirSync } from 'node:fs';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { DeploymentClient } from '../rollouts/deployment-client.ts';
import { type ServedTarget, type UpgradedPlatform, until } from './upgraded-platform.ts';

const EDGE = 'edge';

/** A folder of the test, as the target `edge`. */
export function edgeIn(folder: string): ServedTarget {
  const served = join(folder, EDGE);
  mkdirSync(served);
  return { name: EDGE, type: 'directory', flags: ['--target', `${EDGE}=${served}`, '--allow-commands'] };
}

const onEdge = ({ folder }: UpgradedPlatform, path: string): string => join(folder, EDGE, path);

/** Changes with every write, also of the same content. */
async function writeMark(file: string): Promise<string> {
  const { ino, mtimeNs } = await stat(file, { bigint: true });
  return `${ino} ${mtimeNs}`;
}

async function touch(file: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, 'made by a test\n');
}

/** One deployment, which is half-way to somewhere when its platform is killed. */
export interface HalfWayState {
  readonly name: string;
  /** What this version does with it; the title of a test. */
  readonly promise: string;
  /** By the earlier version, with every target online. */
  readonly begin?: (fleet: UpgradedPlatform) => Promise<void>;
  /** By the earlier version, without the agent of `edge`: returns when it is half-way. */
  readonly interrupt?: (fleet: UpgradedPlatform) => Promise<void>;
  /** By the earlier version, right before it is killed. */
  readonly atTheEnd?: (fleet: UpgradedPlatform) => Promise<void>;
  /** By this version, with every target online. */
  readonly finish: (fleet: UpgradedPlatform) => Promise<void>;
  /** The kill came while orders were on their way: the same one may arrive again. */
  readonly mayRepeat?: boolean;
}

type Deployment = Awaited<ReturnType<DeploymentClient['get']>>;

interface TargetRow {
  readonly target: string;
  readonly applied?: { readonly revision: number; readonly hash: string };
  readonly health?: { readonly status: string };
}

const configMap = (name: string, text: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default' },
  data: { text },
});
const says = (name: string, text: string) => ({ type: 'inline', documents: [configMap(name, text)] });
const on = (...targets: readonly string[]) => [{ type: 'static', targets }];
const staged = (stage: object, first = 's-1') => ({
  type: 'staged',
  stages: [{ name: 'canary', selector: { matchLabels: { is: first } }, ...stage }],
});
const APPROVED = staged({ afterTasks: [{ type: 'approval' }] });
const fileOf = (name: string): string => `default/configmap/${name}.yaml`;

const waitsFor =
  (kind: string) =>
  ({ status, revision }: Deployment): boolean =>
    status.rollout?.revision === revision && status.rollout.waits.some((wait) => wait.kind === kind);

/** It waits, or has given up an offline target for the time being. */
const hasBegun =
  (revision: number) =>
  ({ status: { rollout } }: Deployment): boolean =>
    rollout?.revision === revision && (rollout.waits.length > 0 || rollout.outcome !== undefined);

async function create({ client }: UpgradedPlatform, name: string, targets: readonly string[], more: object = {}) {
  await client.create([{ name, manifest: says(name, 'first'), placement: on(...targets), ...more }]);
}

/** Creates a deployment, and waits until it is everywhere. */
const delivered =
  (name: string, ...targets: readonly string[]) =>
  async (fleet: UpgradedPlatform): Promise<void> => {
    await create(fleet, name, targets);
    await fleet.client.succeeded(name, 1);
  };

/** Changes its content, and waits until the rollout waits for this. */
const changed =
  (name: string, rollout: object, kind: string) =>
  async ({ client }: UpgradedPlatform): Promise<void> => {
    await client.patch(name, { manifest: says(name, 'second'), rollout });
    await client.until(name, `waiting for ${kind}`, (each) => each.revision === 2 && waitsFor(kind)(each));
  };

async function rowsOf({ client }: UpgradedPlatform, name: string): Promise<readonly TargetRow[]> {
  return (await client.list(name, 'targets')) as unknown as readonly TargetRow[];
}

async function targetsOf(fleet: UpgradedPlatform, name: string): Promise<string[]> {
  return (await rowsOf(fleet, name)).map(({ target }) => target);
}

/** Waits until it is idle, and available wherever it is placed: after a connect, health is unknown at first. */
async function isHealthy({ client }: UpgradedPlatform, name: string): Promise<Deployment> {
  return await client.until(name, 'health everywhere', ({ status: { counts }, reconciling }) => {
    return !reconciling && counts.available === counts.placed && counts.failed === 0;
  });
}

/** Waits for the revision, and checks that every target has the same content, of this revision. */
async function isOnAll(fleet: UpgradedPlatform, name: string, revision: number): Promise<Deployment> {
  await fleet.client.succeeded(name, revision);
  const deployment = await isHealthy(fleet, name);
  const rows = await rowsOf(fleet, name);
  assert.equal(rows.length, deployment.status.counts.placed);
  assert.deepEqual(new Set(rows.map(({ applied }) => applied?.revision)), new Set([revision]));
  assert.equal(new Set(rows.map(({ applied }) => applied?.hash)).size, 1, 'the same content on all');
  return deployment;
}

const approve = ({ client }: UpgradedPlatform, name: string) => client.steer(name, ':approve', { message: 'fine' });

async function textOnEdge(fleet: UpgradedPlatform, name: string): Promise<string> {
  return await readFile(onEdge(fleet, fileOf(name)), 'utf8');
}

/** What the earlier version left, for the version that finishes. */
const marks = new Map<string, string>();

export const HALF_WAY_STATES: readonly HalfWayState[] = [
  {
    name: 'kept',
    promise: 'leaves alone what nobody changed',
    begin: async (fleet) => {
      await delivered('kept', EDGE, 's-1')(fleet);
      marks.set('kept', await writeMark(onEdge(fleet, fileOf('kept'))));
    },
    finish: async (fleet) => {
      await isOnAll(fleet, 'kept', 1);
      assert.equal(await writeMark(onEdge(fleet, fileOf('kept'))), marks.get('kept'), 'the file is written once');
    },
  },
  {
    name: 'rolling',
    promise: 'continues in the middle of a batch whose target was offline',
    begin: delivered('rolling', EDGE, 's-1', 's-2', 's-3'),
    interrupt: async (fleet) => {
      await changed('rolling', { type: 'rolling', batchSize: 2 }, 'offline')(fleet);
      await until('half of the first batch to be done', async () => {
        return (await rowsOf(fleet, 'rolling')).some(({ applied }) => applied?.revision === 2);
      });
    },
    finish: async (fleet) => {
      await isOnAll(fleet, 'rolling', 2);
      assert.match(await textOnEdge(fleet, 'rolling'), /second/);
    },
  },
  {
    name: 'approval',
    promise: 'takes the approval that the earlier version asked for',
    begin: delivered('approval', 's-1', 's-2'),
    interrupt: async (fleet) => {
      await changed('approval', APPROVED, 'gate')(fleet);
      marks.set('approval', await openApproval(fleet, 'approval'));
    },
    finish: async (fleet) => {
      assert.equal(await openApproval(fleet, 'approval'), marks.get('approval'), 'it is still the same');
      await fleet.client.asked('POST', `/v1/workspaces/shop/approvals/${marks.get('approval')}:approve`, {});
      await isOnAll(fleet, 'approval', 2);
    },
  },
  {
    name: 'clock',
    promise: 'lets the clocks of gates run on',
    begin: delivered('clock', 's-1', 's-2'),
    atTheEnd: changed(
      'clock',
      staged({
        afterTasks: [
          { type: 'health', stableDuration: '5s' },
          { type: 'wait', duration: '1s' },
        ],
      }),
      'gate',
    ),
    finish: async (fleet) => void (await isOnAll(fleet, 'clock', 2)),
  },
  {
    name: 'bundle',
    promise: 'continues a group between two of its steps',
    interrupt: async ({ client }) => {
      const child = (name: string, rollout?: object) => ({
        name,
        manifest: says(`bundle-${name}`, 'first'),
        placement: on('s-1', 's-2'),
        ...(rollout && { rollout }),
      });
      const gated = staged({ beforeTasks: [{ type: 'approval' }] });
      const deployments = [child('base'), child('web', gated), child('last')];
      const sequence = ['base', 'web', 'last'].map((name) => ({ step: [name] }));
      await client.create([{ name: 'bundle', manifest: { type: 'deploymentGroup', deployments, sequence } }]);
      await until('the second step to begin', async () => {
        const items = await client.asked('GET', '/v1/workspaces/shop/deployments?pageSize=100');
        return (items['items'] as { name: string }[]).some(({ name }) => name === 'bundle-web');
      });
      await client.until('bundle-web', 'waiting for its approval', waitsFor('gate'));
    },
    finish: async (fleet) => {
      await approve(fleet, 'bundle-web');
      await fleet.client.until('bundle', 'health', ({ status, reconciling }) => {
        return status.counts.available === 1 && !reconciling;
      });
      for (const name of ['bundle-base', 'bundle-web', 'bundle-last']) await isOnAll(fleet, name, 1);
    },
  },
  {
    name: 'removal',
    promise: 'finishes a removal whose target was offline',
    begin: delivered('removal', EDGE, 's-1'),
    interrupt: async ({ client }) => {
      await client.patch('removal', { placement: on('s-1'), rollout: { type: 'immediate', maxRemoval: '100%' } });
      await client.until('removal', 'the removal to be under way', hasBegun(2));
    },
    finish: async (fleet) => {
      await until('its file to be gone', async () => !existsSync(onEdge(fleet, fileOf('removal'))));
      await isHealthy(fleet, 'removal');
      assert.deepEqual(await targetsOf(fleet, 'removal'), ['s-1']);
    },
  },
  {
    name: 'held',
    promise: 'takes the confirmation of a removal that the earlier version held',
    begin: delivered('held', 's-1', 's-2', 's-3'),
    interrupt: async ({ client }) => {
      await client.patch('held', { placement: on('s-1') });
      await client.until('held', 'the removal to be held', ({ conditions }) => {
        return conditions.some(({ type, reason }) => type === 'Placed' && reason === 'RemovalHeld');
      });
    },
    finish: async (fleet) => {
      await fleet.client.steer('held', ':confirmRemoval', {});
      await fleet.client.until(
        'held',
        'removal',
        ({ status, reconciling }) => status.counts.placed === 1 && !reconciling,
      );
      assert.deepEqual(await targetsOf(fleet, 'held'), ['s-1']);
    },
  },
  {
    name: 'queued',
    promise: 'plans a second revision that waited in the queue',
    begin: delivered('queued', 's-1', 's-2'),
    interrupt: async (fleet) => {
      await changed('queued', { ...APPROVED, onCollision: 'queue' }, 'gate')(fleet);
      await fleet.client.patch('queued', { manifest: says('queued', 'third') });
    },
    finish: async (fleet) => {
      await approve(fleet, 'queued');
      await fleet.client.until('queued', 'the next to wait', (each) => each.revision === 3 && waitsFor('gate')(each));
      await approve(fleet, 'queued');
      await isOnAll(fleet, 'queued', 3);
    },
  },
  {
    name: 'rollback',
    promise: 'goes on going back to an earlier revision',
    begin: async (fleet) => {
      await delivered('rollback', 's-1', 's-2')(fleet);
      marks.set('rollback', (await rowsOf(fleet, 'rollback'))[0]?.applied?.hash ?? '');
      await fleet.client.patch('rollback', { manifest: says('rollback', 'second') });
      await fleet.client.succeeded('rollback', 2);
    },
    interrupt: async ({ client }) => {
      await client.patch('rollback', { rollout: APPROVED });
      await client.steer('rollback', ':rollback', { revision: 1, paced: true });
      await client.until('rollback', 'waiting', (each) => each.revision > 2 && waitsFor('gate')(each));
    },
    finish: async (fleet) => {
      await approve(fleet, 'rollback');
      const { revision } = await fleet.client.get('rollback');
      await isOnAll(fleet, 'rollback', revision);
      assert.equal((await rowsOf(fleet, 'rollback'))[0]?.applied?.hash, marks.get('rollback'), 'exactly what it was');
    },
  },
  {
    name: 'owed',
    promise: 'delivers what an offline target was left out of',
    begin: delivered('owed', EDGE, 's-1'),
    interrupt: async ({ client }) => {
      const rollout = { type: 'immediate', offlinePolicy: 'skip' };
      await client.patch('owed', { manifest: says('owed', 'second'), rollout });
      await client.until('owed', 'the end', ({ revision, status }) => {
        return revision === 2 && status.rollout?.outcome === 'Succeeded';
      });
    },
    finish: async (fleet) => {
      await until('edge to get it', async () => /second/.test(await textOnEdge(fleet, 'owed')));
      await fleet.client.until(
        'owed',
        'health',
        ({ status, reconciling }) => status.counts.available === 2 && !reconciling,
      );
      assert.equal(new Set((await rowsOf(fleet, 'owed')).map(({ applied }) => applied?.hash)).size, 1);
    },
  },
  {
    name: 'deleted',
    promise: 'finishes a deletion whose target was offline',
    begin: delivered('deleted', EDGE, 's-2'),
    interrupt: async ({ client }) => {
      await client.asked('DELETE', '/v1/workspaces/shop/deployments/deleted');
      await client.until('deleted', 'the removal to be under way', hasBegun(2));
    },
    finish: async (fleet) => {
      await until('it to be gone', async () => {
        const items = await fleet.client.asked('GET', '/v1/workspaces/shop/deployments?pageSize=100');
        return !(items['items'] as { name: string }[]).some(({ name }) => name === 'deleted');
      });
      assert.ok(!existsSync(onEdge(fleet, fileOf('deleted'))), 'its file is gone');
    },
  },
  {
    name: 'paused',
    promise: 'resumes what a person had paused',
    begin: delivered('paused', 's-1', 's-2'),
    interrupt: async (fleet) => {
      await changed('paused', APPROVED, 'gate')(fleet);
      await fleet.client.steer('paused', ':pause');
      await fleet.client.until('paused', 'the pause', waitsFor('resume'));
    },
    finish: async (fleet) => {
      await fleet.client.until('paused', 'the pause', waitsFor('resume'));
      await fleet.client.steer('paused', ':resume');
      await fleet.client.until('paused', 'the gate', waitsFor('gate'));
      await approve(fleet, 'paused');
      await isOnAll(fleet, 'paused', 2);
    },
  },
  {
    name: 'settling',
    promise: 'waits on for the health of what an agent of the earlier version applied',
    begin: async (fleet) => {
      const apiVersion = 'directory.fleetshift.io/v1';
      const check = { apiVersion, kind: 'HealthCheck', command: ['test', '-e', 'go-ahead'], intervalSeconds: 1 };
      const documents = [{ apiVersion, kind: 'File', path: 'settling', content: 'x' }, check];
      await create(fleet, 'settling', [EDGE], { manifest: { type: 'inline', documents } });
      await until('it to be degraded', async () => {
        return (await rowsOf(fleet, 'settling'))[0]?.health?.status === 'Degraded';
      });
      marks.set('settling', await writeMark(onEdge(fleet, 'settling')));
    },
    finish: async (fleet) => {
      await touch(onEdge(fleet, 'go-ahead'));
      await isOnAll(fleet, 'settling', 1);
      assert.equal(await writeMark(onEdge(fleet, 'settling')), marks.get('settling'), 'the file is written once');
    },
  },
  {
    name: 'failed',
    promise: 'retries what had failed and was paused for that',
    begin: async (fleet) => {
      await touch(onEdge(fleet, fileOf('failed')));
      await create(fleet, 'failed', [EDGE, 's-1'], { rollout: { type: 'immediate', maxConcurrency: 1 } });
      await fleet.client.until('failed', 'the failure', waitsFor('resume'));
    },
    finish: async (fleet) => {
      await rm(onEdge(fleet, fileOf('failed')));
      await fleet.client.steer('failed', ':retry', {});
      await isOnAll(fleet, 'failed', 1);
    },
  },
  {
    name: 'secret',
    promise: 'gives the next stage the same secrets, by the same hash',
    begin: async (fleet) => {
      const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'secret', namespace: 'default' } };
      const mixed = { ...configMap('secret', 'x'), data: { text: { $secret: 'hunter3' }, other: 'plain' } };
      const documents = [{ ...secret, stringData: { password: 'hunter2' } }, mixed];
      const manifest = { type: 'inline', documents };
      await create(fleet, 'secret', ['s-1', EDGE], { manifest, rollout: APPROVED });
      await fleet.client.until('secret', 'waiting', waitsFor('gate'));
    },
    finish: async (fleet) => {
      await approve(fleet, 'secret');
      await isOnAll(fleet, 'secret', 1);
      assert.match(await textOnEdge(fleet, 'secret'), /hunter3/);
    },
  },
  {
    name: 'template',
    promise: 'renders a template for the next stage',
    begin: async (fleet) => {
      const template = [
        'apiVersion: v1',
        'kind: ConfigMap',
        'metadata: { name: template, namespace: default }',
        'data: { text: "${target.name} ${values.level}" }',
      ].join('\n');
      const manifest = { type: 'template', template, values: { level: 'info' }, targets: { edge: { level: 'debug' } } };
      await create(fleet, 'template', ['s-1', EDGE], { manifest, rollout: APPROVED });
      await fleet.client.until('template', 'waiting', waitsFor('gate'));
    },
    finish: async (fleet) => {
      await approve(fleet, 'template');
      await fleet.client.succeeded('template', 1);
      assert.match(await textOnEdge(fleet, 'template'), /edge debug/);
    },
  },
  {
    name: 'joining',
    promise: 'notices a target that was created in the last moment',
    begin: async (fleet) => {
      await fleet.addTarget('s-8', 'new');
      const placement = [{ type: 'selector', matchLabels: { ring: 'new' } }];
      await create(fleet, 'joining', [], { placement });
      await fleet.client.succeeded('joining', 1);
    },
    atTheEnd: async (fleet) => await fleet.addTarget('s-9', 'new'),
    finish: async (fleet) => {
      await fleet.client.until(
        'joining',
        'both',
        ({ status, reconciling }) => status.counts.available === 2 && !reconciling,
      );
      assert.equal(new Set((await rowsOf(fleet, 'joining')).map(({ applied }) => applied?.hash)).size, 1);
    },
    mayRepeat: true,
  },
  {
    name: 'sudden',
    promise: 'brings a change of the last moment everywhere',
    begin: delivered('sudden', 's-1', 's-2', 's-3', 's-4'),
    atTheEnd: async ({ client }) => void (await client.patch('sudden', { manifest: says('sudden', 'second') })),
    finish: async (fleet) => void (await isOnAll(fleet, 'sudden', 2)),
    mayRepeat: true,
  },
];

async function openApproval({ client }: UpgradedPlatform, deployment: string): Promise<string> {
  const { items } = (await client.asked('GET', '/v1/workspaces/shop/approvals?pageSize=100')) as {
    items: { uid: string; deployment: string; state: string }[];
  };
  const open = items.find((each) => each.state === 'Open' && each.deployment === deployment);
  return open?.uid ?? assert.fail(`no approval of ${deployment} is open: ${JSON.stringify(items)}`);
}
