import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { type Storage, sql } from '#kit/storage';
import { eachDatabase, type TestDatabase } from '#testing/databases';
import { aTarget, named, placeAt, uidOf } from '../testing/a-target.ts';
import { TARGET_MIGRATIONS } from './migrations.ts';
import { insertTarget } from './sql-target-store.ts';
import { type PooledTarget, targetPool, targetsBelow, targetsNamed } from './target-pool.ts';

const signal = new AbortController().signal;
const TARGETS = 3_000;
const WORKSPACES = 300;

eachDatabase('the pool of a workspace', (fresh, engine) => {
  let database: TestDatabase;
  let storage: Storage;
  before(async () => {
    database = await fresh();
    storage = await database.open([TARGET_MIGRATIONS]);
    const targets = Array.from({ length: TARGETS }, (_, index) =>
      aTarget({ name: named(`t-${index}`), uid: uidOf(index), workspace: placeAt(`/root/w-${index % WORKSPACES}/`) }),
    );
    const deep = aTarget({
      name: named('deep'),
      uid: uidOf(TARGETS),
      workspace: placeAt('/root/w-1/room/'),
      labels: { env: 'prod' },
      reportedLabels: { 'agent.fleetshift.io/zone': 'a' },
      properties: { registry: 'mine' },
      reportedProperties: { registry: 'its', version: '1.36' },
      advertisedManifestTypes: ['helm'],
      lifecycle: 'Cordoned',
      connection: { state: 'Connected', lastSeenTime: 1 },
    });
    await storage.commit([...targets, deep].map(insertTarget), signal);
    await storage.commit([sql`ANALYZE targets`], signal);
  });
  after(async () => await database.dispose());

  const below = (path: string): Promise<readonly PooledTarget[]> =>
    storage.read((reader) => targetPool(reader).below(path, signal), signal);

  it('is what is in it and below, by name, and nothing beside it', async () => {
    const names = (await below('/root/w-1/')).map(({ name }) => name);
    assert.equal(names.length, TARGETS / WORKSPACES + 1);
    assert.deepEqual([names.at(0), names.at(1)], ['deep', 't-1']);
    assert.deepEqual(names, [...names].sort(), 'in the order of bytes');
    assert.equal((await below('/root/')).length, TARGETS + 1);
    assert.deepEqual(await below('/root/w/'), []);
  });

  it('shows of a target what person and agent say, and where the person counts', async () => {
    const [deep] = await below('/root/w-1/room/');
    assert.deepEqual(deep, {
      id: uidOf(TARGETS),
      name: 'deep',
      type: 'kubernetes',
      labels: { 'agent.fleetshift.io/zone': 'a', env: 'prod' },
      properties: { registry: 'mine', version: '1.36' },
      manifestTypes: ['helm'],
      lifecycle: 'Cordoned',
      isOnline: true,
      workspacePath: '/root/w-1/room/',
    });
  });

  it('is found by the index on paths, and no other target is looked at', async () => {
    const explain = sql.raw(engine === 'sqlite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN');
    const rows = await storage.all(sql`${explain} ${targetsBelow('/root/w-1/')}`, signal);
    const plan = rows.map((row) => Object.values(row).join(' ')).join('\n');
    assert.match(plan, /targets_by_path/);
    assert.doesNotMatch(plan, /Seq Scan on targets|SCAN targets/, plan);
  });

  const among = async (path: string, refs: readonly string[], labels?: Readonly<Record<string, readonly string[]>>) => {
    const wanted = { refs, ...(labels === undefined ? {} : { labels: new Map(Object.entries(labels)) }) };
    const found = await storage.read((reader) => targetPool(reader).among(path, wanted, signal), signal);
    return found.map(({ name }) => name);
  };
  const zone = 'agent.fleetshift.io/zone';

  for (const { why, refs = [], labels, want } of [
    { why: 'named ones, in order', refs: ['t-301', 't-1', 'deep'], want: ['deep', 't-1', 't-301'] },
    { why: 'by uid', refs: [uidOf(1)], want: ['t-1'] },
    { why: 'none that is elsewhere', refs: ['t-2', uidOf(2)], want: [] },
    { why: 'none that does not exist', refs: ['nowhere'], want: [] },
    { why: 'nothing for nothing', want: [] },
    { why: 'with a label', labels: { env: ['prod'] }, want: ['deep'] },
    { why: 'with a label that the agent reports', labels: { [zone]: ['b', 'a'] }, want: ['deep'] },
    { why: 'with all labels', labels: { env: ['prod'], [zone]: ['a'] }, want: ['deep'] },
    { why: 'not with one of them', labels: { env: ['prod'], [zone]: ['b'] }, want: [] },
    { why: 'not with the value of another', labels: { env: ['a'] }, want: [] },
    { why: 'not with the beginning of a value', labels: { env: ['pro'] }, want: [] },
    { why: 'either way', refs: ['t-1'], labels: { env: ['prod'] }, want: ['deep', 't-1'] },
    { why: 'either way once', refs: ['deep'], labels: { env: ['prod'] }, want: ['deep'] },
    { why: 'from what is no label', labels: { 'a"\\': ["'%"] }, want: [] },
  ]) {
    it(`finds some of them: ${why}`, async () => {
      assert.deepEqual(await among('/root/w-1/', refs, labels), want);
    });
  }

  it('has very many of them as a whole', async () => {
    const many = Array.from({ length: TARGETS }, (_, index) => uidOf(index));
    assert.equal((await among('/root/w-1/', many)).length, TARGETS / WORKSPACES + 1);
  });

  it('finds named ones without looking at others', async () => {
    const explain = sql.raw(engine === 'sqlite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN');
    const rows = await storage.all(sql`${explain} ${targetsNamed('/root/', ['t-1', 't-2'])}`, signal);
    const plan = rows.map((row) => Object.values(row).join(' ')).join('\n');
    assert.doesNotMatch(plan, /Seq Scan on targets|SCAN targets|targets_by_path/, plan);
  });

  it('has single ones too, wherever they are; who is gone is not among them', async () => {
    const ids = Array.from({ length: 2_500 }, (_, index) => uidOf(index * 2));
    const found = await storage.read((reader) => targetPool(reader).find(ids, signal), signal);
    assert.equal(found.length, TARGETS / 2 + 1);
  });
});
