import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { parseResourceName } from '#kit/std';
import { type Storage, sql } from '#kit/storage';
import { eachDatabase, type TestDatabase } from '#testing/databases';
import { aDeployment } from '../testing/a-revision.ts';
import { uidOf } from '../testing/deployment-api.ts';
import { ORCHESTRATION_MIGRATIONS } from './migrations.ts';
import { type DeploymentRange, listDeployments } from './sql/sql-deployment-reader.ts';
import { insertDeployment } from './sql/sql-deployment-store.ts';

const signal = new AbortController().signal;
const DEPLOYMENTS = 2_000;
const WORKSPACES = 200;
const ALL: DeploymentRange = { within: undefined, visible: { kind: 'everything' }, after: undefined, limit: 100 };

eachDatabase('lists of deployments', (fresh, engine) => {
  let database: TestDatabase;
  let storage: Storage;
  before(async () => {
    database = await fresh();
    storage = await database.open([ORCHESTRATION_MIGRATIONS]);
    const deployments = Array.from({ length: DEPLOYMENTS }, (_, index) => {
      const workspace = parseResourceName(`w-${index % WORKSPACES}`);
      const place = { name: workspace, path: `/root/${workspace}/` };
      return aDeployment({ name: parseResourceName(`d-${index}`), uid: uidOf(index), workspace: place });
    });
    await storage.commit(deployments.map(insertDeployment), signal);
    await storage.commit([sql`ANALYZE deployments`], signal);
  });
  after(async () => await database.dispose());

  const direct = { within: { workspace: parseResourceName('w-1'), subtree: false } };
  for (const { why, range, tops } of [
    { why: 'a workspace', range: direct, tops: ['/root/w-1/'] },
    { why: 'a subtree', range: { within: { ...direct.within, subtree: true } }, tops: ['/root/w-1/'] },
    { why: 'what somebody sees', range: {}, tops: ['/root/w-1/', '/root/w-2/', '/root/w-3/'] },
    { why: 'a page of it', range: { after: { workspace: 'w-2', name: 'd-4' } }, tops: ['/root/w-1/', '/root/w-2/'] },
  ]) {
    it(`of ${why} look at what is in it, by the index on paths, and at no other deployment`, async () => {
      const explain = sql.raw(engine === 'sqlite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN');
      const rows = await storage.all(sql`${explain} ${listDeployments({ ...ALL, ...range }, tops)}`, signal);
      const plan = rows.map((row) => String(row[engine === 'sqlite' ? 'detail' : 'QUERY PLAN'])).join('\n');
      assert.match(plan, /deployments_by_(path|name)/);
      assert.doesNotMatch(plan, /Seq Scan on deployments|SCAN deployments/, plan);
    });
  }

  it('of thousands of subtrees are no more than one statement', async () => {
    const tops = Array.from({ length: 5_000 }, (_, index) => `/root/w-${index}/`);
    const rows = await storage.all(listDeployments({ ...ALL, limit: 10_000 }, tops), signal);
    assert.equal(rows.length, DEPLOYMENTS);
  });
});
