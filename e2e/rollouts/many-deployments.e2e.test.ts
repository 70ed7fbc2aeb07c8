import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Storage, sql } from '#kit/storage';
import { DATABASES } from '#testing/databases';
import { PATIENCE_MS } from '#testing/patience';
import { type Platform, type PlatformHome, platformHome } from '#testing/platform-process';
import { PIPELINE_RUNS, runStarter } from '../../contexts/orchestration/adapters/index.ts';
import { eventually } from '../../kit/durable/testing/eventually.ts';
import { alteredStorage } from '../../kit/storage/outbox/testing/altered-storage.ts';
import { withStorage } from '../access/stored.ts';
import { AgentLog } from './agent-log.ts';
import { DeploymentClient, saying } from './deployment-client.ts';
import { simulatedStart } from './simulated-start.ts';

const DEPLOYMENTS = 1_000;
const TARGETS = Array.from({ length: 10 }, (_, index) => ({ name: `t-${index}`, labels: {} }));
const CHANGED = 'app-500';
const LOOKS = 5;

for (const engine of DATABASES) {
  describe(`${DEPLOYMENTS} deployments on ${engine}`, () => {
    let home: PlatformHome;
    let platform: Platform;
    let client: DeploymentClient;
    let log: AgentLog;
    const open = async (): Promise<void> => {
      platform = await home.start(simulatedStart(home));
      client = new DeploymentClient(platform, 'shop');
    };

    before(async () => {
      home = await platformHome(engine);
      log = new AgentLog(home.data);
      await open();
      await client.settle(TARGETS);
      await client.create(drafts());
      await eventually('everybody to have it', () => log.length >= DEPLOYMENTS);
      await client.untilIdle();
    });
    after(() => home.dispose());

    it('a change lands after a restart that follows a kill', async () => {
      await platform.kill();
      log.takeIn();
      await open();
      const lines = log.length;
      await client.patch(CHANGED, { manifest: saying('something else') });
      await eventually('the change to be with its agent', () => log.length > lines);
      await client.succeeded(CHANGED, 2);
    });

    it('those that are idle have no workflow', async () => {
      await client.untilIdle();
    });

    it('were left alone by the restart, and are looked at with one statement', async () => {
      await platform.kill();
      const orders = log.takeIn();
      assert.deepEqual(
        orders.map(({ revision }) => revision),
        [2],
        'only the change was delivered',
      );
      await withStorage(home, async (storage) => {
        const { deployments, runs, open: stillOpen } = await counted(storage);
        // One run for each when it was created, and one more for the change.
        assert.deepEqual({ deployments, stillOpen }, { deployments: DEPLOYMENTS, stillOpen: 0 });
        assert.equal(runs, DEPLOYMENTS + 1);
        const { statements, told } = await look(storage);
        assert.equal(told, 0);
        // One more is allowed: when it starts to listen only after the first look, it looks again, since it may have
        // missed a change.
        assert.ok(statements <= LOOKS + 1, `${statements} statements`);
      });
    });
  });
}

function drafts(): readonly object[] {
  return Array.from({ length: DEPLOYMENTS }, (_, index) => ({
    name: `app-${index}`,
    manifest: saying(`of ${index}`),
    placement: [{ type: 'static', targets: [`t-${index % TARGETS.length}`] }],
  }));
}

async function counted(storage: Storage) {
  const row = await storage.get(
    sql`SELECT count(*) AS deployments, sum(runs) AS runs, count(run) AS open FROM deployments
      WHERE workspace = 'shop'`,
    AbortSignal.timeout(PATIENCE_MS),
  );
  return { deployments: Number(row?.['deployments']), runs: Number(row?.['runs']), open: Number(row?.['open']) };
}

/** Counts the starter's database statements while it looks a few times at idle deployments. */
async function look(storage: Storage): Promise<{ readonly statements: number; readonly told: number }> {
  const stop = new AbortController();
  let [looks, statements, told] = [0, 0, 0];
  const watched = alteredStorage(storage, {
    all: (statement, signal) => {
      statements += 1;
      return storage.all(statement, signal);
    },
    commit: (batch, signal) => {
      statements += batch.length;
      return storage.commit(batch, signal);
    },
  });
  const tell = async (): Promise<never> => {
    told += 1;
    throw new Error('nobody is told anything here');
  };
  const sleep = async (): Promise<void> => {
    looks += 1;
    if (looks === LOOKS) stop.abort();
  };
  await runStarter(PIPELINE_RUNS, { storage: watched, client: { signalWithStart: tell }, sleep }).run(stop.signal);
  return { statements, told };
}
