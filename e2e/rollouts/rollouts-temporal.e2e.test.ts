import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Platform, type PlatformHome, platformHome } from '#testing/platform-process';
import { SOURCES } from '#testing/product';
import { eventually } from '../../kit/durable/testing/eventually.ts';
import { freshNamespace, type TestNamespace } from '../../testing/temporal/test-namespace.ts';
import { AgentLog } from './agent-log.ts';
import { DeploymentClient, saying } from './deployment-client.ts';

const STAGES = ['canary', 'late'];
const CANARY_FIRST = {
  type: 'staged',
  stages: [
    { name: 'canary', selector: { matchLabels: { stage: 'canary' } }, afterTasks: [{ type: 'approval' }] },
    { name: 'late', selector: { matchLabels: { stage: 'late' } } },
  ],
};
const TARGETS = ['one', 'two', 'three', 'four'].map((name, index) => ({ name, labels: { stage: STAGES[index % 2] } }));
const CROWD = 10;

const namespace = await freshNamespace();
if (namespace === undefined) it('rolls out on Temporal', { skip: 'there is no Go to build a server with' });
else rolloutsOn(namespace);

function rolloutsOn({ address, namespace: name }: TestNamespace): void {
  const flags = ['--demo-fleet', '1', '--durable', `temporal://${address}/${name}`];
  let home: PlatformHome;
  let platform: Platform;
  let client: DeploymentClient;

  const open = async (): Promise<void> => {
    platform = await home.start({ flags, program: SOURCES });
    client = new DeploymentClient(platform, 'shop');
  };
  const create = async (deployment: string, more: object = {}): Promise<void> => {
    await client.create([{ name: deployment, manifest: saying('one'), placement: [{ type: 'all' }], ...more }]);
  };
  const change = (deployment: string, text: string) => client.patch(deployment, { manifest: saying(text) });
  const hashes = async (deployment: string): Promise<unknown[]> => {
    const targets = await client.list(deployment, 'targets');
    return targets.map(({ applied }) => (applied as { hash?: string } | undefined)?.hash);
  };
  const outcome = async (deployment: string, revision: number): Promise<unknown> => {
    const revisions = await client.list(deployment, 'revisions');
    return revisions.find((each) => each['revision'] === revision)?.['outcome'];
  };
  const untilAtGate = (deployment: string) =>
    client.until(deployment, 'a wait for the gate', ({ status }) => {
      return status.rollout?.waits.some(({ kind }) => kind === 'gate') === true;
    });

  before(async () => {
    home = await platformHome('sqlite');
    await open();
    await client.settle(TARGETS);
  });
  after(() => home.dispose());

  // Concurrent because agents take their time; each test has a deployment of its own.
  describe('a rollout on Temporal', { concurrency: true }, () => {
    it('reaches everybody at once, and nobody with what he has', async () => {
      await create('immediate');
      await client.succeeded('immediate', 1);
      const first = await hashes('immediate');
      assert.deepEqual([first.length, new Set(first).size], [TARGETS.length, 1]);
      await change('immediate', 'two');
      const { status } = await client.succeeded('immediate', 2);
      assert.equal(status.counts.available, TARGETS.length);
      assert.notDeepEqual(await hashes('immediate'), first);
    });

    it('goes no further than its gate until somebody approves', async () => {
      await create('gated', { rollout: CANARY_FIRST });
      const { status } = await untilAtGate('gated');
      assert.deepEqual([status.counts.placed, status.counts.available], [TARGETS.length, TARGETS.length / 2]);
      await client.steer('gated', ':approve', {});
      await client.succeeded('gated', 1);
    });

    it('pauses after a no, and says why', async () => {
      await create('refused', { rollout: CANARY_FIRST });
      await untilAtGate('refused');
      await client.steer('refused', ':reject', { message: 'not today' });
      const paused = await client.until('refused', 'a pause', ({ status }) => status.rollout?.phase === 'Paused');
      assert.equal(paused.status.rollout?.reason, 'GateRejected');
      assert.equal(paused.status.counts.available, TARGETS.length / 2);
      await client.steer('refused', ':abort');
      await eventually('an end', async () => (await outcome('refused', 1)) === 'Aborted');
    });

    it('begins nothing while it is paused, and goes on when it is resumed', async () => {
      await create('paused', { rolloutState: 'paused' });
      const paused = await client.until('paused', 'a pause', ({ status }) => status.rollout?.phase === 'Paused');
      assert.equal(paused.status.counts.underWay, 0);
      await client.steer('paused', ':resume');
      await client.succeeded('paused', 1);
    });

    it('gives way to a newer one', async () => {
      await create('overtaken');
      await client.until('overtaken', 'the first to be under way', ({ status }) => status.counts.underWay > 0);
      await change('overtaken', 'two');
      await client.succeeded('overtaken', 2);
      assert.equal(await outcome('overtaken', 1), 'Superseded');
    });

    it('goes back to what was there, and off when it is deleted', async () => {
      await create('regretted');
      await client.succeeded('regretted', 1);
      const first = await hashes('regretted');
      await change('regretted', 'two');
      await client.succeeded('regretted', 2);
      await client.steer('regretted', ':rollback', { revision: 1 });
      await client.succeeded('regretted', 3);
      assert.deepEqual(await hashes('regretted'), first);
      const path = '/v1/workspaces/shop/deployments/regretted';
      await client.asked('DELETE', path);
      await eventually('it to be gone', async () => (await platform.request(path)).status === 404);
    });
  });

  describe('a worker on Temporal that is killed', () => {
    it('leaves nobody out, delivers nothing twice without need, and leaves no workflow open', async () => {
      const names = Array.from({ length: CROWD }, (_, index) => `crowd-${index}`);
      const log = new AgentLog(home.data);
      const before = log.length;
      await client.create(names.map((each) => ({ name: each, manifest: saying(each), placement: [{ type: 'all' }] })));
      await eventually('half of it with the agents', () => log.length >= before + (CROWD * TARGETS.length) / 2);
      await platform.kill();
      log.takeIn();
      await open();
      for (const each of names) {
        const { status } = await client.succeeded(each, 1);
        assert.equal(status.counts.available, TARGETS.length);
      }
      await client.untilIdle();
      await platform.kill();
      const again = log.takeIn();
      for (const [order, times] of timesOf([...log.orders])) assert.ok(times <= 2, `${order}: ${times} times`);
      assert.ok(again.length < CROWD * TARGETS.length, 'what was acknowledged is not sent again');
    });
  });
}

function timesOf(orders: AgentLog['orders']): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const { target, deployment, revision } of orders) {
    const key = `${deployment} at ${revision} to ${target}`;
    times.set(key, (times.get(key) ?? 0) + 1);
  }
  return times;
}
