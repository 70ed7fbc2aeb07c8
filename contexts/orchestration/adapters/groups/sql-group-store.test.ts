import assert from 'node:assert/strict';
import { afterEach, beforeEach, it } from 'node:test';
import { parseResourceName, type Uuid } from '#kit/std';
import { type Storage, sql } from '#kit/storage';
import { eachDatabase, type TestDatabase } from '#testing/databases';
import { FILE_MS } from '#testing/patience';
import { tellingGroups } from '../../application/groups/telling-groups.ts';
import type { DeploymentStore, GroupRecord } from '../../application/ports.ts';
import type { Deployment } from '../../domain/deployment/deployment.ts';
import { newGroup } from '../../domain/group/group-state.ts';
import { aGroup } from '../../domain/group/testing/group-world.ts';
import { aDeployment } from '../../testing/a-revision.ts';
import { ORCHESTRATION_MIGRATIONS } from '../migrations.ts';
import { insertDeployment, SqlDeploymentStore } from '../sql-deployment-store.ts';
import { GROUP_WOKEN, SqlGroupStore } from './sql-group-store.ts';

const signal = AbortSignal.timeout(FILE_MS);
const GROUP = '00000000-0000-7000-8000-0000000000e1' as Uuid;
const record: GroupRecord = { group: GROUP, revision: 3, hash: 'h3', spec: aGroup([['a'], ['b']]), state: newGroup(5) };
const child = aDeployment({ name: parseResourceName('app-a'), owner: { group: GROUP, child: 'a' } });

const ABORTED = { revision: 1, since: 0, startTime: 0, requestedBy: 'ann', trigger: '', steps: [], waits: [] };

eachDatabase('the store of groups', (fresh) => {
  let database: TestDatabase;
  let storage: Storage;
  beforeEach(async () => {
    database = await fresh();
    storage = await database.open([ORCHESTRATION_MIGRATIONS]);
    await unit((store) => store.put(record, signal));
  });
  afterEach(async () => await database.dispose());

  const unit = <T>(body: (groups: SqlGroupStore, deployments: DeploymentStore) => Promise<T>): Promise<T> =>
    storage.write((tx) => {
      const groups = new SqlGroupStore(tx);
      return body(groups, tellingGroups(new SqlDeploymentStore(tx), groups));
    }, signal);
  const news = async () => {
    const row = await storage.get(sql`SELECT run, news, heard FROM deployment_groups`, signal);
    return [row?.['run'], row?.['news'], row?.['heard']];
  };

  it('gives back what it keeps, one that is to go included', async () => {
    assert.deepEqual(await unit((store) => store.find(GROUP, signal)), record);
    const going = { ...record, revision: 4, spec: undefined };
    await unit((store) => store.put(going, signal));
    assert.deepEqual(await unit((store) => store.find(GROUP, signal)), going);
    assert.equal(await unit((store) => store.find(aDeployment().uid, signal)), undefined);
  });

  it('lists all, and drops one', async () => {
    const other = { ...record, group: aDeployment().uid };
    await unit((store) => store.put(other, signal));
    assert.deepEqual(new Set(await unit((store) => store.all(signal))), new Set([record, other]));
    await unit((store) => store.drop(GROUP, signal));
    assert.deepEqual(await unit((store) => store.all(signal)), [other]);
  });

  it('gives a run to whoever is woken, until it rests with everything heard', async () => {
    let announced = 0;
    storage.onAnnounced(GROUP_WOKEN, () => (announced += 1));
    await unit((store) => store.wake(GROUP, signal));
    await unit((store) => store.wake(GROUP, signal));
    assert.deepEqual(await news(), [1, 2, 0]);
    assert.ok(announced > 0);
    assert.equal(
      await unit((store) => store.rest(GROUP, 1, signal)),
      false,
      'there is something that it has not heard',
    );
    await unit((store) => store.hear(GROUP, signal));
    assert.equal(await unit((store) => store.rest(GROUP, 1, signal)), true);
    assert.equal(await unit((store) => store.rest(GROUP, 1, signal)), true, 'it may not have heard the answer');
    await unit((store) => store.wake(GROUP, signal));
    assert.deepEqual(await news(), [2, 3, 2]);
    await unit((store) => store.wake(aDeployment().uid, signal));
  });

  it('renames a child, and nobody’s version but the next', async () => {
    await storage.commit([insertDeployment(child)], signal);
    const next = { ...child, name: parseResourceName('app-z'), owner: { group: GROUP, child: 'z' }, version: 2 };
    await unit((store) => store.renameChild(next, signal));
    assert.deepEqual(await unit((_, deployments) => deployments.get(child.uid, signal)), next);
    await assert.rejects(
      unit((store) => store.renameChild(next, signal)),
      { code: 'VERSION_STALE' },
    );
  });

  const next = (its: Partial<Deployment>): Deployment => ({ ...child, ...its, version: 2 });
  for (const { why, does, wakes } of [
    {
      why: 'a child that it would see otherwise',
      does: async (store: DeploymentStore) => {
        await store.get(child.uid, signal);
        await store.replace(next({ deletion: { time: 1, by: 'ann' } }), signal);
      },
      wakes: 1,
    },
    {
      why: 'no child that it would see as before',
      does: async (store: DeploymentStore) => {
        await store.find(child.workspace.name, child.name, signal);
        await store.replace(next({ labels: { a: 'b' } }), signal);
      },
      wakes: 0,
    },
    {
      why: 'a child that nobody had looked at before it was changed',
      does: (store: DeploymentStore) => store.replace(next({ labels: { a: 'b' } }), signal),
      wakes: 1,
    },
    { why: 'a child that is gone', does: (store: DeploymentStore) => store.remove(child.uid, signal), wakes: 1 },
  ]) {
    it(`is woken by ${why}`, async () => {
      await storage.commit([insertDeployment(child)], signal);
      await unit((_, deployments) => does(deployments));
      assert.equal((await news())[1], wakes);
    });
  }

  it('is woken when it is paused or aborted itself, and when its deployment is let go of', async () => {
    const manifest = { type: 'deploymentGroup', deployments: [] };
    const group = aDeployment({ uid: GROUP, spec: { ...aDeployment().spec, manifest } });
    await storage.commit([insertDeployment(group)], signal);
    await unit(async (_, deployments) => {
      await deployments.get(GROUP, signal);
      await deployments.replace({ ...group, rolloutState: 'paused', version: 2 }, signal);
    });
    assert.equal((await news())[1], 1);
    const rollout = { ...ABORTED, phase: 'Finished', outcome: 'Aborted' } as const;
    const aborted = { ...group, rolloutState: 'paused', status: { ...group.status, rollout }, version: 3 } as const;
    await unit(async (_, deployments) => {
      await deployments.get(GROUP, signal);
      await deployments.replace(aborted, signal);
      await deployments.replace({ ...aborted, labels: { a: 'b' }, version: 4 }, signal);
    });
    assert.equal((await news())[1], 2, 'and by nothing else of it');
    await unit((_, deployments) => deployments.remove(GROUP, signal));
    assert.equal((await news())[1], 3);
  });
});
