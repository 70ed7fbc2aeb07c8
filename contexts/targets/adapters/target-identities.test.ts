import assert from 'node:assert/strict';
import { after, before, beforeEach, it } from 'node:test';
import { type Storage, sql } from '#kit/storage';
import { OUTBOX_MIGRATIONS } from '#kit/storage/outbox';
import { eachDatabase, type TestDatabase } from '#testing/databases';
import type { UnitOfWork } from '../application/ports.ts';
import { TargetService } from '../application/target-service.ts';
import { aTarget, fixedWorkspaces, named, placeAt, uidCounter } from '../testing/a-target.ts';
import { TARGET_MIGRATIONS } from './migrations.ts';
import { identityIn } from './sql-identity-store.ts';
import { SqlTargetReader } from './sql-target-reader.ts';
import { insertTarget } from './sql-target-store.ts';
import { targetUnitOfWork } from './sql-unit-of-work.ts';
import { targetPool } from './target-pool.ts';

const signal = new AbortController().signal;
const anyState = { check: () => {} };
const TREE = ['/root/', '/root/a/', '/root/b/'];

eachDatabase('the clusters behind targets', (fresh) => {
  const workspaces = () => fixedWorkspaces(...TREE);
  const newId = uidCounter();
  const service = new TargetService({ newUid: newId, addonTypes: { has: async () => false } });
  const [prod, other] = [
    aTarget({ name: named('prod'), uid: newId(), workspace: placeAt('/root/a/') }),
    aTarget({ name: named('other'), uid: newId(), workspace: placeAt('/root/b/') }),
  ];
  let database: TestDatabase;
  let storage: Storage;

  before(async () => {
    database = await fresh();
    storage = await database.open([TARGET_MIGRATIONS, OUTBOX_MIGRATIONS]);
  });
  after(async () => await database.dispose());
  beforeEach(async () => {
    const empty = [sql`DELETE FROM targets`, sql`DELETE FROM target_identities`, sql`DELETE FROM outbox`];
    await storage.commit([...empty, insertTarget(prod), insertTarget(other)], signal);
  });

  const unit = <T>(body: (its: UnitOfWork) => Promise<T>): Promise<T> =>
    storage.write((tx) => body(targetUnitOfWork(tx, { newId, workspaces })), signal);
  const claim = async (name: string, identity: string) =>
    await unit((each) =>
      service.claimIdentity(each, { name: named(name), precondition: anyState, now: 9_000, identity }, signal),
    );
  const command = (name: string) => ({ name: named(name), precondition: anyState, now: 9_000 });
  const condition = async (name: string) =>
    (await new SqlTargetReader({ storage, workspaces }).find(named(name), signal))?.conditions[0];
  const events = async (): Promise<string> => JSON.stringify(await storage.all(sql`SELECT * FROM outbox`, signal));

  it('are of the first that claims them; the second is refused, says so, and names nobody', async () => {
    assert.deepEqual(await claim('prod', 'u-1'), { held: 'u-1' });
    assert.equal(await condition('prod'), undefined);
    assert.equal((await claim('other', 'u-1')).refused, 'u-1');
    const said = await condition('other');
    assert.deepEqual([said?.type, said?.status, said?.reason], ['ClusterIdentity', 'False', 'SameCluster']);
    assert.doesNotMatch(`${JSON.stringify(said)} ${await events()}`, /prod/);
    assert.deepEqual(await storage.read((reader) => identityIn(reader, prod.uid), signal), { held: 'u-1' });
  });

  it('are claimed again without a change, and without a word', async () => {
    await claim('other', 'u-1');
    await claim('prod', 'u-1');
    const before = await events();
    await claim('prod', 'u-1');
    await claim('other', 'u-1');
    assert.equal(await events(), before);
  });

  it('are of one alone when two claim them at the same time', async () => {
    const claims = await Promise.all([claim('prod', 'u-1'), claim('other', 'u-1')]);
    assert.equal(claims.filter(({ held }) => held === 'u-1').length, 1);
    assert.equal(claims.filter(({ refused }) => refused === 'u-1').length, 1);
  });

  it('are free once the target that holds them is deleted', async () => {
    await claim('prod', 'u-1');
    await claim('other', 'u-1');
    await unit((each) => service.delete(each, { ...command('prod'), force: true }, signal));
    assert.deepEqual(await claim('other', 'u-1'), { held: 'u-1' });
    assert.equal((await condition('other'))?.status, 'True');
  });

  it('are free, too, if a release deleted the target that knows nothing of them', async () => {
    await claim('prod', 'u-1');
    await storage.commit([sql`DELETE FROM targets WHERE uid = ${prod.uid}`], signal);
    assert.deepEqual(await claim('other', 'u-1'), { held: 'u-1' });
  });

  it('are merged into the target that has them: an alias has another name, and no row of its own for placement', async () => {
    const merge = async (name: string, into: string) =>
      await unit((each) => service.merge(each, { ...command(name), into: named(into) }, signal));
    await claim('prod', 'u-1');
    await assert.rejects(merge('other', 'prod'), { code: 'NOT_MERGEABLE' }, 'it was not refused');
    await claim('other', 'u-1');
    await assert.rejects(merge('other', 'prod'), { code: 'NOT_MERGEABLE' }, 'their workspaces are apart');
    await unit((each) => service.assign(each, { ...command('prod'), workspace: named('root') }, signal));
    await assert.rejects(merge('other', 'other'), { code: 'NOT_MERGEABLE' });
    await assert.rejects(merge('prod', 'other'), { code: 'NOT_MERGEABLE' }, 'the other way round');
    const merged = await merge('other', 'prod');
    assert.deepEqual([merged.aliasOf, merged.conditions[0]?.reason], ['prod', 'Alias']);
    assert.deepEqual(await new SqlTargetReader({ storage, workspaces }).find(named('other'), signal), merged);
    assert.match(await events(), /target\.merged/);
    assert.doesNotMatch(await events(), /aliasOf\\*"/, 'readers of the alias may not be readers of the other one');
    assert.equal((await merge('other', 'prod')).version, merged.version, 'again changes nothing');
    const pooled = await storage.read((reader) => targetPool(reader).below('/root/', signal), signal);
    assert.deepEqual(
      pooled.filter(({ isAlias }) => isAlias).map(({ name }) => name),
      ['other'],
    );
    await assert.rejects(
      unit((each) => service.delete(each, { ...command('prod'), force: true }, signal)),
      { code: 'TARGET_HAS_ALIASES' },
    );
    await unit((each) => service.delete(each, { ...command('other'), force: true }, signal));
    await unit((each) => service.delete(each, { ...command('prod'), force: true }, signal));
  });

  it('are told apart by an id that is issued once, and only to a target that was refused', async () => {
    await assert.rejects(
      unit((each) => service.reidentify(each, command('prod'), signal)),
      { code: 'IDENTITY_NOT_REFUSED' },
    );
    await claim('prod', 'u-1');
    await claim('other', 'u-1');
    await unit((each) => service.reidentify(each, command('other'), signal));
    const { issued } = await claim('other', 'u-1');
    assert.equal((await condition('other'))?.reason, 'Reidentifying');
    await unit((each) => service.reidentify(each, command('other'), signal));
    assert.equal((await claim('other', 'u-1')).issued, issued);
    assert.deepEqual(await claim('other', issued ?? assert.fail()), { held: issued });
    assert.deepEqual(await claim('prod', 'u-1'), { held: 'u-1' });
    assert.equal((await condition('other'))?.status, 'True');
  });
});
