import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sql } from '#kit/storage';
import { eachDatabase } from '#testing/databases';
import { eventually } from '../../../kit/durable/testing/eventually.ts';
import { removeDeployment } from '../application/pipeline/save-deployment.ts';
import { aRun } from '../testing/pipeline/pipeline-run.ts';

eachDatabase('deployments that are waited for', (fresh) => {
  it('a gate that waits for a deployment that is not there learns of it when it is created', async (t) => {
    const run = await aRun(t, await fresh());
    run.fleet.addMany(1);
    const stages = [{ name: 'all', selector: {}, beforeTasks: [{ type: 'deploymentHealth', deployment: 'db' }] }];
    const uid = await run.create('web', { rollout: { type: 'staged', stages } });
    await run.until(
      uid,
      'a wait for db',
      ({ status }) => status.rollout?.waits.some(({ kind }) => kind === 'gate') === true,
    );
    const first = await run.create('db', {});
    await run.idle(first);
    assert.equal((await run.idle(uid)).status.rollout?.outcome, 'Succeeded');
  });

  it('a gate whose deployment went away learns of the next one of its name', async (t) => {
    const run = await aRun(t, await fresh());
    run.fleet.addMany(1);
    const gone = await run.create('db', { rolloutState: 'paused' });
    const stages = [{ name: 'all', selector: {}, beforeTasks: [{ type: 'deploymentHealth', deployment: 'db' }] }];
    const uid = await run.create('web', { rollout: { type: 'staged', stages } });
    const watched = async () =>
      (await run.storage.get(sql`SELECT watched FROM deployment_watches`, run.signal))?.['watched'];
    await eventually('a watch of db', async () => (await watched()) === gone);
    await run.units.write(async (unit) => {
      const deployment = await unit.deployments.get(gone, run.signal);
      if (deployment !== undefined) await removeDeployment(unit, deployment, run.signal);
    }, run.signal);
    await eventually('a watch of its name', async () => (await watched()) === 'shop/db');
    await run.create('db', {});
    assert.equal((await run.idle(uid)).status.rollout?.outcome, 'Succeeded');
  });
});
