import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { inspect } from 'node:util';
import type { Uuid } from '#kit/std';
import { uuidv7 } from '#kit/std';
import { type Storage, sql } from '#kit/storage';
import { DATABASES, eachDatabase, freshDatabase, type TestDatabase } from '#testing/databases';
import type { Deployment } from '../../domain/deployment/deployment.ts';
import type { DeploymentTarget } from '../../domain/deployment/deployment-target.ts';
import { aDeployment, aRevision } from '../../testing/a-revision.ts';
import { aRow } from '../../testing/a-row.ts';
import { deploymentStoreContract } from '../../testing/deployment-store-contract.ts';
import { ORCHESTRATION_MIGRATIONS } from '../migrations.ts';
import { PIPELINE_WOKEN, SqlDeploymentStore } from './sql-deployment-store.ts';
import { SqlDeploymentTargetStore } from './sql-deployment-target-store.ts';
import { SqlRevisionStore } from './sql-revision-store.ts';
import { SqlTriggerStore } from './sql-trigger-store.ts';

const signal = new AbortController().signal;
const ORDER = { kind: 'deliver', revision: 1, batch: 1, state: 'sent', since: 1 } as const;

for (const engine of DATABASES) {
  deploymentStoreContract(engine, async () => {
    const database = await freshDatabase(engine);
    const storage = await database.open([ORCHESTRATION_MIGRATIONS]);
    return {
      unit: (body) => storage.write((tx) => body(new SqlDeploymentStore(tx), new SqlTriggerStore(tx, uuidv7)), signal),
      runs: async () => {
        const rows = await storage.all(
          sql`SELECT uid, run, news, heard FROM deployments WHERE run IS NOT NULL`,
          signal,
        );
        return rows.map(({ uid, run, news, heard }) => ({
          uid: String(uid) as Uuid,
          run: Number(run),
          hasNews: Number(news) > Number(heard),
        }));
      },
      close: () => database.dispose(),
    };
  });
}

eachDatabase('the table of deployments', (fresh) => {
  let database: TestDatabase;
  let storage: Storage;
  const { uid } = aDeployment();
  const spec = { ...aDeployment().spec, config: { token: { $secretRef: 'r1' } } };
  const unit = <T>(body: (store: SqlDeploymentStore) => Promise<T>) =>
    storage.write((tx) => body(new SqlDeploymentStore(tx)), signal);
  const uses = async () =>
    (await storage.all(sql`SELECT reference FROM content_secret_uses ORDER BY reference`, signal)).map((row) =>
      String(row['reference']),
    );
  before(async () => {
    database = await fresh();
    storage = await database.open([ORCHESTRATION_MIGRATIONS]);
    await unit((store) => store.insert(aDeployment({ spec }), signal));
  });
  after(async () => await database.dispose());

  for (const { why, column, value } of [
    { why: 'a rollout state from the future', column: 'rollout_state', value: 'dreaming' },
    { why: 'labels that are no JSON', column: 'labels', value: '{' },
    { why: 'labels that are no strings', column: 'labels', value: '{"a": 1}' },
    { why: 'labels that are none', column: 'labels', value: '{"-": ""}' },
    { why: 'a spec that is a list', column: 'spec', value: '[]' },
    { why: 'a spec without a manifest', column: 'spec', value: '{"placement": [], "rollout": {"type": "immediate"}}' },
    { why: 'a status that is none', column: 'status', value: '{}' },
    { why: 'a path of another workspace', column: 'workspace_path', value: '/root/apac/' },
    { why: 'a uid that is none', column: 'uid', value: 'x' },
  ]) {
    it(`is not believed when it holds ${why}`, async () => {
      const rolledBack = storage.write(async (tx) => {
        await tx.run(sql`UPDATE deployments SET ${sql.raw(column)} = ${value}`);
        await new SqlDeploymentStore(tx).find(aDeployment().workspace.name, aDeployment().name, signal);
      }, signal);
      await assert.rejects(rolledBack, { code: 'STORED_DEPLOYMENT_INVALID' });
    });
  }

  for (const last of ['9007199254740992', '9223372036854775807']) {
    it(`is read, in lists too, where an earlier version followed an agent to the revision ${last}`, async () => {
      const huge = sql.raw(last);
      const read = await storage
        .write(async (tx) => {
          await new SqlDeploymentTargetStore(tx).put([aRow({ order: ORDER })], signal);
          await tx.run(sql`UPDATE deployments SET revision = ${huge}, rollout = ${huge}`);
          await tx.run(
            sql`UPDATE deployment_targets SET applied_revision = ${huge}, health_revision = ${huge}, order_revision = ${huge}`,
          );
          const deployment = await new SqlDeploymentStore(tx).get(uid, signal);
          const [row] = await new SqlDeploymentTargetStore(tx).of(uid, signal);
          throw Object.assign(new Error('roll it back'), { deployment, row });
        }, signal)
        .catch((error: unknown) => error as { deployment?: Deployment; row?: DeploymentTarget });
      assert.ok(read.deployment !== undefined && read.row !== undefined, inspect(read));
      const { MAX_SAFE_INTEGER: top } = Number;
      assert.deepEqual([read.deployment.revision, read.deployment.rollout], [top, top]);
      assert.deepEqual([read.row.applied, read.row.healthRevision, read.row.order?.revision], [undefined, 0, top]);
    });
  }

  it('keeps the secrets of the spec from being purged, for as long as the spec refers to them', async () => {
    assert.deepEqual(await uses(), ['r1']);
    const changed = (reference: string, its: object) =>
      unit(async (store) => {
        const current = (await store.get(uid, signal)) ?? aDeployment();
        const config = { token: { $secretRef: reference } };
        await store.replace({ ...current, spec: { ...spec, config }, version: current.version + 1, ...its }, signal);
      });
    await changed('r2', { generation: 2 });
    assert.deepEqual(await uses(), ['r2']);
    await changed('r2', { revision: 1 });
    assert.deepEqual(await uses(), ['r2']);
  });

  it('announces that a pipeline has something to do', async () => {
    const announced = new Promise<void>((resolve) => storage.onAnnounced(PIPELINE_WOKEN, resolve));
    await unit((store) => store.wake(uid, signal));
    await announced;
  });

  it('removes a deployment with all that is kept of it', async () => {
    await storage.write(async (tx) => {
      await new SqlDeploymentTargetStore(tx).put([aRow()], signal);
      await new SqlRevisionStore(tx).insert(aRevision(), signal);
    }, signal);
    await unit((store) => store.remove(uid, signal));
    for (const table of ['deployments', 'deployment_targets', 'deployment_revisions']) {
      assert.deepEqual(await storage.all(sql`SELECT * FROM ${sql.raw(table)}`, signal), []);
    }
    assert.deepEqual(await uses(), []);
  });
});
