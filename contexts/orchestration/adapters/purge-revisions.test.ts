import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { Sealer } from '#kit/sealing';
import { type Storage, sql } from '#kit/storage';
import type { TargetId } from '#protocol/targets';
import { eachDatabase, type TestDatabase } from '#testing/databases';
import { memoryKeys } from '../../../kit/sealing/testing/memory-keys.ts';
import type { Revision } from '../domain/deployment/revision.ts';
import { type Payload, payloadOf } from '../domain/manifest/payload.ts';
import { aDeployment, aRevision } from '../testing/a-revision.ts';
import { ORCHESTRATION_MIGRATIONS } from './migrations.ts';
import { purgeRevisions } from './purge-revisions.ts';
import { SqlContentStore } from './sql/sql-content-store.ts';
import { SqlDeploymentStore } from './sql/sql-deployment-store.ts';
import { SqlRevisionStore } from './sql/sql-revision-store.ts';

const signal = new AbortController().signal;
const sealer = new Sealer(memoryKeys());
const WEB = aDeployment();
const uid = WEB.uid;
const [A, B, C] = ['a', 'b', 'c'] as TargetId[] as [TargetId, TargetId, TargetId];
const TABLES = [
  'deployments',
  'deployment_triggers',
  'deployment_revisions',
  'rollout_turns',
  'contents',
  'content_secrets',
  'content_secret_uses',
  'revision_contents',
];

const content = (text: string, secret?: string): Payload =>
  payloadOf(
    [{ kind: 'Note', text, ...(secret === undefined ? {} : { secret: { $secret: secret } }) }],
    (value) => `ref-${value.replaceAll('"', '')}`,
  );

eachDatabase('purging revisions', (fresh) => {
  let database: TestDatabase;
  let storage: Storage;
  before(async () => {
    database = await fresh();
    storage = await database.open([ORCHESTRATION_MIGRATIONS]);
  });
  after(async () => await database.dispose());
  beforeEach(async () => {
    await storage.commit(
      TABLES.map((table) => sql`DELETE FROM ${sql.raw(table)}`),
      signal,
    );
  });

  type Stores = { deployments: SqlDeploymentStore; revisions: SqlRevisionStore; contents: SqlContentStore };
  const unit = <T>(body: (stores: Stores) => Promise<T>): Promise<T> =>
    storage.write(
      (tx) =>
        body({
          deployments: new SqlDeploymentStore(tx),
          revisions: new SqlRevisionStore(tx),
          contents: new SqlContentStore(tx, sealer),
        }),
      signal,
    );

  /** A revision that assigned these contents to these targets. */
  const rolledOut = async (its: Partial<Revision>, given: [TargetId, Payload | undefined][]): Promise<void> => {
    const revision = aRevision({ outcome: 'Superseded', ...its });
    await unit(async ({ revisions, contents }) => {
      await revisions.insert(revision, signal);
      await contents.keep(
        given.flatMap(([, payload]) => payload ?? []),
        signal,
      );
      const hashes = new Map(given.map(([target, payload]) => [target, payload?.hash]));
      await contents.assign({ deployment: uid, revision: revision.revision }, hashes, signal);
    });
    const turn = sql`INSERT INTO rollout_turns (deployment, revision, turn, time, body)
      VALUES (${uid}, ${revision.revision}, 1, 0, '{}')`;
    await storage.commit([turn], signal);
  };
  const at = async (revision: number): Promise<Record<string, string>> =>
    Object.fromEntries(await unit(({ contents }) => contents.at({ deployment: uid, revision }, signal)));
  const countOf = async (table: string): Promise<number> =>
    Number((await storage.get(sql`SELECT COUNT(*) AS n FROM ${sql.raw(table)}`, signal))?.['n']);
  const purge = (keep: number) => purgeRevisions({ storage, keep }, signal);

  it('keeps what a kept revision brought, also when an older one wrote it, and content that several share', async () => {
    const [one, two, three] = [content('one'), content('two'), content('three')];
    await unit(({ deployments }) => deployments.insert(WEB, signal));
    await rolledOut({ revision: 1 }, [
      [A, one],
      [B, one],
      [C, two],
    ]);
    await rolledOut({ revision: 2 }, [[A, two]]);
    await rolledOut({ revision: 3 }, [
      [A, three],
      [C, undefined],
    ]);
    await rolledOut({ revision: 4, outcome: 'Succeeded' }, [[A, one]]);
    const [third, fourth] = [await at(3), await at(4)];
    assert.deepEqual(await purge(2), { revisions: 2, contents: 1, secrets: 0 });
    assert.deepEqual([await at(3), await at(4)], [third, fourth]);
    assert.deepEqual(third, { a: three.hash, b: one.hash });
    const kept = await unit(({ contents }) =>
      contents.find([...Object.values(third), ...Object.values(fourth)], { withSecrets: true }, signal),
    );
    assert.deepEqual([...kept.keys()].sort(), [one.hash, three.hash].sort());
    // One row for b, from the first revision; two for a; none for c, which has nothing.
    assert.equal(await countOf('revision_contents'), 3);
    assert.equal(await countOf('rollout_turns'), 2);
  });

  it('purges nothing twice, and nothing where there is not too much', async () => {
    await unit(({ deployments }) => deployments.insert(WEB, signal));
    for (const revision of [1, 2, 3]) await rolledOut({ revision }, [[A, content(`${revision}`)]]);
    assert.deepEqual(await purge(3), { revisions: 0, contents: 0, secrets: 0 });
    assert.deepEqual(await purge(1), { revisions: 2, contents: 2, secrets: 0 });
    assert.deepEqual(await purge(1), { revisions: 0, contents: 0, secrets: 0 });
  });

  describe('never', () => {
    for (const { why, its, trigger } of [
      { why: 'the one under way', its: { rollout: 1 }, trigger: undefined },
      { why: 'the one that is being brought back', its: { rollout: 2 }, trigger: undefined },
      { why: 'the one that somebody asked to be brought back', its: {}, trigger: { kind: 'rollback', to: 1 } },
    ]) {
      it(why, async () => {
        await unit(({ deployments }) => deployments.insert({ ...WEB, ...its }, signal));
        await rolledOut({ revision: 1 }, [[A, content('one')]]);
        await rolledOut({ revision: 2, rollbackTo: 1 }, [[A, content('two')]]);
        await rolledOut({ revision: 3 }, [[A, content('three')]]);
        if (trigger !== undefined) {
          const row = sql`INSERT INTO deployment_triggers (id, deployment, time, body)
            VALUES ('t', ${uid}, 0, ${JSON.stringify(trigger)})`;
          await storage.commit([row], signal);
        }
        await purge(1);
        assert.deepEqual(await at(1), { a: content('one').hash });
        assert.ok(await unit(({ revisions }) => revisions.find(uid, 1, signal)));
      });
    }
  });

  it('forgets a secret with the last content and spec that refers to it', async () => {
    const spec = { ...WEB.spec, config: { token: { $secretRef: 'ref-of-spec' } } };
    await unit(async ({ deployments, contents }) => {
      await deployments.insert(
        { ...WEB, spec: { ...WEB.spec, config: { now: { $secretRef: 'ref-wanted' } } } },
        signal,
      );
      await contents.keepSecrets({ 'ref-of-spec': 'x', 'ref-wanted': 'y' }, signal);
    });
    await rolledOut({ revision: 1, spec }, [
      [A, content('one', 'shared')],
      [B, content('two', 'lost')],
    ]);
    await rolledOut({ revision: 2 }, [
      [A, content('three', 'shared')],
      [B, undefined],
    ]);
    assert.deepEqual(await purge(1), { revisions: 1, contents: 2, secrets: 2 });
    const left = await storage.all(sql`SELECT reference FROM content_secrets ORDER BY reference`, signal);
    assert.deepEqual(left, [{ reference: 'ref-shared' }, { reference: 'ref-wanted' }]);
  });

  it('forgets everything of a deployment that is gone', async () => {
    const spec = { ...WEB.spec, config: { token: { $secretRef: 'ref-of-spec' } } };
    await unit(async ({ deployments, contents }) => {
      await deployments.insert({ ...WEB, spec }, signal);
      await contents.keepSecrets({ 'ref-of-spec': 'x' }, signal);
    });
    await rolledOut({ revision: 1, spec }, [[A, content('one', 'own')]]);
    await unit(({ deployments }) => deployments.remove(uid, signal));
    assert.deepEqual(await purge(10), { revisions: 0, contents: 1, secrets: 2 });
    for (const table of TABLES) assert.equal(await countOf(table), 0, table);
  });
});
