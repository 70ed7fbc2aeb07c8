import assert from 'node:assert/strict';
import { after, before, beforeEach, it } from 'node:test';
import { type Statement, type Storage, sql, type Transaction } from '#kit/storage';
import { OUTBOX_MIGRATIONS } from '#kit/storage/outbox';
import { eachDatabase, type TestDatabase } from '#testing/databases';
import { FILE_MS } from '#testing/patience';
import type { UnitOfWork } from '../application/ports.ts';
import { TargetService } from '../application/target-service.ts';
import { aTarget, fixedWorkspaces, named, uidCounter } from '../testing/a-target.ts';
import { TARGET_MIGRATIONS } from './migrations.ts';
import { SqlTargetReader } from './sql-target-reader.ts';
import { insertTarget } from './sql-target-store.ts';
import { targetUnitOfWork } from './sql-unit-of-work.ts';

const signal = AbortSignal.timeout(FILE_MS);
const anyState = { check: () => {} };
const workspaces = () => fixedWorkspaces('/root/');

eachDatabase('what agents report', (fresh) => {
  let database: TestDatabase;
  let storage: Storage;
  before(async () => {
    database = await fresh();
    storage = await database.open([TARGET_MIGRATIONS, OUTBOX_MIGRATIONS]);
  });
  after(async () => await database.dispose());
  beforeEach(async () => {
    await storage.commit([sql`DELETE FROM targets`, sql`DELETE FROM outbox`, insertTarget(aTarget())], signal);
  });

  const newId = uidCounter();
  const service = new TargetService({
    newUid: newId,
    addonTypes: { has: async () => false },
  });
  const unit = <T>(body: (unit: UnitOfWork) => Promise<T>): Promise<T> =>
    storage.write((tx) => body(targetUnitOfWork(tx, { newId, workspaces })), signal);
  const find = async (name = 'prod-1') => await new SqlTargetReader({ storage, workspaces }).find(named(name), signal);
  const takeEvents = async (): Promise<string[]> => {
    const rows = await storage.all(sql`SELECT type, key FROM outbox ORDER BY id`, signal);
    await storage.commit([sql`DELETE FROM outbox`], signal);
    return rows.map((row) => `${String(row['type'])} ${String(row['key'])}`);
  };

  it('is kept, and told to placement and to who reads properties', async () => {
    const report = {
      labels: { 'agent.fleetshift.io/zone': 'a' },
      properties: { version: '1.36' },
      conditions: [{ type: 'Ready', status: 'True', reason: 'Fine', message: '', observedGeneration: 1 }] as const,
    };
    const command = { name: named('prod-1'), precondition: anyState, report, now: 5_000 };
    const target = await unit((each) => service.report(each, command, signal));
    assert.deepEqual(await find(), target);
    assert.deepEqual([target.generation, target.version, target.labels], [1, 2, {}]);
    const events = ['updated', 'placementChanged', 'propertiesChanged'].map((type) => `target.${type} targets/prod-1`);
    assert.deepEqual(await takeEvents(), events);
    await unit((each) => service.report(each, command, signal));
    assert.deepEqual(await takeEvents(), []);
  });

  it('of a target that nobody knows is refused', async () => {
    const command = { name: named('nobody'), precondition: anyState, report: {}, now: 5_000 };
    await assert.rejects(
      unit((each) => service.report(each, command, signal)),
      { code: 'TARGET_NOT_FOUND' },
    );
  });

  it('is on its way out when told so, and stays there', async () => {
    const change = { name: named('prod-1'), precondition: anyState, now: 5_000 };
    await unit((each) => service.setLifecycle(each, { ...change, lifecycle: 'Deprovisioning' }, signal));
    assert.equal((await find())?.lifecycle, 'Deprovisioning');
    const uncordon = unit((each) => service.setLifecycle(each, { ...change, lifecycle: 'Active' }, signal));
    await assert.rejects(uncordon, { code: 'LIFECYCLE_CONFLICT' });
  });

  it('of connections changes the etag and no generation, and is told only when the state is another', async () => {
    const seen = (state: 'Connected' | 'Disconnected', time: number) => ({ target: named('prod-1'), state, time });
    const reported = (...reports: ReturnType<typeof seen>[]) =>
      unit((each) => service.reportConnections(each, { reports, now: 9_000 }, signal));
    assert.deepEqual(await reported(seen('Connected', 5_000)), []);
    assert.deepEqual(await takeEvents(), ['target.connectionChanged targets/prod-1']);
    await reported(seen('Connected', 6_000));
    assert.deepEqual(await takeEvents(), []);
    assert.partialDeepStrictEqual(await find(), { version: 3, generation: 1, connection: { lastSeenTime: 6_000 } });
    await reported(seen('Connected', 8_000), seen('Disconnected', 7_000));
    assert.partialDeepStrictEqual(await find(), {
      version: 4,
      connection: { state: 'Connected', lastSeenTime: 8_000 },
    });
    assert.deepEqual(await takeEvents(), []);
    await reported(seen('Disconnected', 7_999));
    assert.partialDeepStrictEqual(await find(), { version: 4, connection: { state: 'Connected' } });
    assert.deepEqual(await reported({ ...seen('Connected', 9_000), target: named('nobody') }), ['nobody']);
  });

  it('ends the connections that nobody holds, and keeps when they were last heard of', async () => {
    const at = (name: string, state: 'Connected' | 'Disconnected', time: number) =>
      aTarget({ name: named(name), uid: newId(), connection: { state, lastSeenTime: time } });
    const all = [
      at('a', 'Connected', 10),
      at('b', 'Connected', 20),
      at('c', 'Disconnected', 30),
      at('d', 'Connected', 40),
    ];
    await storage.commit(all.map(insertTarget), signal);
    const isHeld = ({ name }: { readonly name: string }) => name === 'b';
    const lose = (after: string | undefined) =>
      unit((each) => service.loseConnections(each, { isHeld, after, limit: 2, now: 9_000 }, signal));
    assert.equal(await lose(undefined), 'b');
    assert.equal(await lose('b'), undefined);
    const states = await Promise.all(all.map(async ({ name }) => (await find(name))?.connection));
    assert.deepEqual(
      states.map((connection) => `${connection?.state} ${connection?.lastSeenTime}`),
      ['Disconnected 10', 'Connected 20', 'Disconnected 30', 'Disconnected 40'],
    );
    assert.deepEqual(
      await takeEvents(),
      ['a', 'd'].map((name) => `target.connectionChanged targets/${name}`),
    );
    await lose(undefined);
    assert.deepEqual(await takeEvents(), []);
    const reports = [{ target: named('a'), state: 'Connected' as const, time: 11 }];
    await unit((each) => service.reportConnections(each, { reports, now: 9_000 }, signal));
    assert.equal((await find('a'))?.connection.state, 'Connected', 'whatever is heard of it after that counts');
  });

  it('of a thousand connections is read in one statement and written in one', async () => {
    const names = Array.from({ length: 1_000 }, (_, nth) => named(`t-${nth}`));
    await storage.commit(
      names.map((name) => insertTarget(aTarget({ name, uid: newId() }))),
      signal,
    );
    const statements: string[] = [];
    const reports = names.map((target) => ({ target, state: 'Connected' as const, time: 5_000 }));
    await storage.write((tx) => {
      const counted = targetUnitOfWork(counting(tx, statements), { newId, workspaces });
      return service.reportConnections(counted, { reports, now: 5_000 }, signal);
    }, signal);
    const verbs = statements.map((text) => text.trim().split(/\s/)[0]);
    assert.deepEqual(
      verbs.filter((verb) => verb !== 'INSERT'),
      ['SELECT', 'UPDATE'],
    );
    const connected = await storage.get(
      sql`SELECT count(*) AS n FROM targets WHERE connection_state = ${'Connected'} AND version = ${2}`,
      signal,
    );
    assert.equal(connected?.['n'], 1_000);
    assert.equal((await takeEvents()).length, 1_000);
  });
});

function counting(tx: Transaction, seen: string[]): Transaction {
  const note = (statement: Statement): Statement => {
    seen.push(statement.parts.join('?'));
    return statement;
  };
  return {
    all: (statement) => tx.all(note(statement)),
    get: (statement) => tx.get(note(statement)),
    run: (statement) => tx.run(note(statement)),
    batch: (statements) => tx.batch(statements.map(note)),
  };
}
