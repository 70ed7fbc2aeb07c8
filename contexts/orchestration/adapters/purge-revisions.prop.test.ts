import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import fc from 'fast-check';
import { Sealer } from '#kit/sealing';
import { type Storage, sql } from '#kit/storage';
import type { TargetId } from '#protocol/targets';
import { eachDatabase, type TestDatabase } from '#testing/databases';
import { memoryKeys } from '../../../kit/sealing/testing/memory-keys.ts';
import { payloadOf } from '../domain/manifest/payload.ts';
import { OUTCOMES } from '../domain/rollout/machine/phase.ts';
import { aDeployment, aRevision } from '../testing/a-revision.ts';
import { ORCHESTRATION_MIGRATIONS } from './migrations.ts';
import { purgeRevisions } from './purge-revisions.ts';
import { SqlContentStore } from './sql/sql-content-store.ts';
import { SqlDeploymentStore } from './sql/sql-deployment-store.ts';
import { SqlRevisionStore } from './sql/sql-revision-store.ts';

const signal = new AbortController().signal;
const sealer = new Sealer(memoryKeys());
const WEB = aDeployment();
const TABLES = [
  'deployments',
  'deployment_revisions',
  'contents',
  'revision_contents',
  'content_secrets',
  'content_secret_uses',
];
const RUNS = 25;

const payload = (name: string) => payloadOf([{ name, secret: { $secret: name } }], (secret) => `ref-${secret}`);

/** The contents that each revision assigned to some of the targets: one of a few, or none. */
const HISTORY = fc.array(
  fc.record({
    outcome: fc.constantFrom(undefined, ...OUTCOMES),
    given: fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('x', 'y', 'z', undefined)),
  }),
  { minLength: 1, maxLength: 8 },
);

eachDatabase('purging any history', (fresh) => {
  let database: TestDatabase;
  let storage: Storage;
  before(async () => {
    database = await fresh();
    storage = await database.open([ORCHESTRATION_MIGRATIONS]);
  });
  after(async () => await database.dispose());

  const contents = <T>(body: (store: SqlContentStore) => Promise<T>): Promise<T> =>
    storage.write((tx) => body(new SqlContentStore(tx, sealer)), signal);

  /** The content of every target with the revision, secrets included: the content that a rollback to it delivers. */
  const deliveredWith = async (revision: number) =>
    await contents(async (store) => {
      const hashes = await store.at({ deployment: WEB.uid, revision }, signal);
      const found = await store.find([...hashes.values()], { withSecrets: true }, signal);
      const targets = [...hashes.keys()].sort((a, b) => (a < b ? -1 : 1));
      return targets.map((target) => [target, found.get(hashes.get(target) ?? '')]);
    });

  it('leaves what every kept revision delivered, and nothing that none of them did', async () => {
    await fc.assert(
      fc.asyncProperty(HISTORY, fc.integer({ min: 1, max: 4 }), async (history, keep) => {
        await storage.commit(
          TABLES.map((table) => sql`DELETE FROM ${sql.raw(table)}`),
          signal,
        );
        await storage.write(async (tx) => {
          await new SqlDeploymentStore(tx).insert(WEB, signal);
          const store = new SqlContentStore(tx, sealer);
          for (const [index, { outcome, given }] of history.entries()) {
            const revision = index + 1;
            await new SqlRevisionStore(tx).insert(aRevision({ revision, outcome }), signal);
            const payloads = Object.values(given).flatMap((name) => (name === undefined ? [] : payload(name)));
            await store.keep(payloads, signal);
            const hashes = Object.entries(given).map(
              ([target, name]) => [target as TargetId, name === undefined ? undefined : payload(name).hash] as const,
            );
            await store.assign({ deployment: WEB.uid, revision }, new Map(hashes), signal);
          }
        }, signal);
        const before = new Map<number, unknown>();
        for (const index of history.keys()) before.set(index + 1, await deliveredWith(index + 1));
        await purgeRevisions({ storage, keep }, signal);
        const kept = (await storage.all(sql`SELECT revision FROM deployment_revisions`, signal)).map((row) =>
          Number(row['revision']),
        );
        for (const revision of kept) assert.deepEqual(await deliveredWith(revision), before.get(revision));
        const used = await storage.all(sql`SELECT DISTINCT hash FROM revision_contents WHERE hash IS NOT NULL`, signal);
        const count = async (table: string) =>
          (await storage.get(sql`SELECT COUNT(*) AS n FROM ${sql.raw(table)}`, signal))?.['n'];
        assert.equal(await count('contents'), used.length);
        assert.equal(await count('content_secrets'), used.length);
      }),
      { numRuns: RUNS },
    );
  });
});
