import assert from 'node:assert/strict';
import { afterEach, beforeEach, it } from 'node:test';
import { parseResourceName, type Uuid } from '#kit/std';
import { type Storage, sql } from '#kit/storage';
import { eachDatabase, type TestDatabase } from '#testing/databases';
import type { DeploymentStore, GroupRecord } from '../../application/ports.ts';
import { newGroup } from '../../domain/group/group-state.ts';
import { aGroup } from '../../domain/group/testing/group-world.ts';
import { aDeployment } from '../../testing/a-revision.ts';
import { ORCHESTRATION_MIGRATIONS } from '../migrations.ts';
import { insertDeployment, SqlDeploymentStore } from '../sql/sql-deployment-store.ts';
import { GROUP_WOKEN, SqlGroupStore } from './sql-group-store.ts';

const signal = new AbortController().signal;
const GROUP = '00000000-0000-7000-8000-0000000000e1' as Uuid;
const record: GroupRecord = { group: GROUP, revision: 3, hash: 'h3', spec: aGroup([['a'], ['b']]), state: newGroup(5) };
const child = aDeployment({ name: parseResourceName('app-a'), owner: { group: GROUP, child: 'a' } });

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
      return body(new SqlGroupStore(tx), new SqlDeploymentStore(tx));
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
});
