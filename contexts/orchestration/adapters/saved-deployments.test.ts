import assert from 'node:assert/strict';
import { afterEach, beforeEach, it } from 'node:test';
import { Sealer } from '#kit/sealing';
import { createUuidv7, parseResourceName, systemClock, type Uuid } from '#kit/std';
import { type Storage, sql } from '#kit/storage';
import { OUTBOX_MIGRATIONS } from '#kit/storage/outbox';
import { eachDatabase, type TestDatabase } from '#testing/databases';
import { memoryKeys } from '../../../kit/sealing/testing/memory-keys.ts';
import { removeDeployment, saveDeployment } from '../application/pipeline/save-deployment.ts';
import type { Units } from '../application/ports.ts';
import type { Deployment } from '../domain/deployment/deployment.ts';
import { newGroup } from '../domain/group/group-state.ts';
import { aGroup } from '../domain/group/testing/group-world.ts';
import { fixedDirectory, fixedPool } from '../testing/a-pool.ts';
import { aDeployment } from '../testing/a-revision.ts';
import { ORCHESTRATION_MIGRATIONS } from './migrations.ts';
import { insertDeployment } from './sql/sql-deployment-store.ts';
import { sqlUnits } from './sql/sql-unit-of-work.ts';

const signal = new AbortController().signal;
const GROUP = '00000000-0000-7000-8000-0000000000e1' as Uuid;
const RECORD = { group: GROUP, revision: 3, hash: 'h3', spec: aGroup([['a'], ['b']]), state: newGroup(5) };
const CHILD = aDeployment({ name: parseResourceName('app-a'), owner: { group: GROUP, child: 'a' } });
const ROLLOUT = { revision: 1, since: 0, startTime: 0, requestedBy: 'ann', trigger: '', steps: [], waits: [] };

eachDatabase('a group and its saved deployments', (fresh) => {
  let database: TestDatabase;
  let storage: Storage;
  let units: Units;
  beforeEach(async () => {
    database = await fresh();
    storage = await database.open([OUTBOX_MIGRATIONS, ORCHESTRATION_MIGRATIONS]);
    const sealer = new Sealer(memoryKeys());
    const pool = () => fixedPool({});
    units = sqlUnits(storage, { newId: createUuidv7(systemClock), sealer, pool, workspaces: () => fixedDirectory() });
    await units.write((unit) => unit.groups.put(RECORD, signal), signal);
  });
  afterEach(async () => await database.dispose());

  const news = async () => (await storage.get(sql`SELECT news FROM deployment_groups`, signal))?.['news'];
  const save = (before: Deployment, its: Partial<Deployment>): Promise<Deployment> => {
    const after = { ...before, ...its, version: before.version + 1 };
    const saved = { before, after, events: [], now: 5 };
    return units.write(async (unit) => {
      await saveDeployment(unit, saved, signal);
      return after;
    }, signal);
  };

  it('is woken by a child that it sees differently, and by no other change', async () => {
    await storage.commit([insertDeployment(CHILD)], signal);
    const labelled = await save(CHILD, { labels: { a: 'b' } });
    assert.equal(await news(), 0);
    await save(labelled, { deletion: { time: 1, by: 'ann' } });
    assert.equal(await news(), 1);
  });

  it('is woken by a child that is gone', async () => {
    await storage.commit([insertDeployment(CHILD)], signal);
    await units.write((unit) => removeDeployment(unit, CHILD, signal), signal);
    assert.equal(await news(), 1);
  });

  it('is woken when it is paused or aborted itself, and when its deployment is removed', async () => {
    const manifest = { type: 'deploymentGroup', deployments: [] };
    const group = aDeployment({ uid: GROUP, spec: { ...aDeployment().spec, manifest } });
    await storage.commit([insertDeployment(group)], signal);
    const paused = await save(group, { rolloutState: 'paused' });
    assert.equal(await news(), 1);
    const rollout = { ...ROLLOUT, phase: 'Finished', outcome: 'Aborted' } as const;
    const aborted = await save(paused, { status: { ...group.status, rollout } });
    assert.equal(await news(), 2);
    const labelled = await save(aborted, { labels: { a: 'b' } });
    assert.equal(await news(), 2, 'and by no other change of it');
    await units.write((unit) => removeDeployment(unit, labelled, signal), signal);
    assert.equal(await news(), 3);
  });
});
