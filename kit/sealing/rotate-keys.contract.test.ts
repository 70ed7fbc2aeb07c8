import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, it } from 'node:test';
import { Secret } from '#kit/std';
import { type MigrationModule, type Storage, sql } from '#kit/storage';
import { eachDatabase, type TestDatabase } from '#testing/databases';
import { FakeClock } from '#testing/fake-clock';
import { FileKeyRing, finishRotation, openKeyRing, rotateKeys, SEALING_MIGRATIONS, Sealer } from './index.ts';
import { rewrapColumn } from './rotate-keys.ts';

const signal = new AbortController().signal;
const HOUR_MS = 3_600_000;
const THINGS: MigrationModule = {
  module: 'things',
  migrations: [
    {
      number: 1,
      name: 'things',
      compatibleFrom: 0,
      up: 'CREATE TABLE things (kind KEYTEXT NOT NULL, id BIGINT NOT NULL, secret TEXT, note TEXT, PRIMARY KEY (kind, id))',
    },
  ],
};
const COLUMN = { table: 'things', keys: ['kind', 'id'], column: 'secret' };
const placeOf = (id: number) => ({ table: 'things', row: ['lamp', id], column: 'secret' });

eachDatabase('rotation of keys', (fresh) => {
  let folder: string;
  let file: string;
  let database: TestDatabase;
  let storage: Storage;
  const clock = new FakeClock();

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'fleetshift-rotate-'));
    file = join(folder, 'keys.json');
    database = await fresh();
    storage = await database.open([SEALING_MIGRATIONS, THINGS]);
  });
  afterEach(async () => {
    await database.dispose();
    rmSync(folder, { recursive: true });
  });

  const open = () => openKeyRing({ file, storage, clock }, signal);
  const rotate = (ring: FileKeyRing) => rotateKeys({ storage, ring, columns: [COLUMN], clock }, signal);
  const put = async (sealer: Sealer, id: number) => {
    const sealed = await sealer.seal(new Secret(`secret ${id}`), placeOf(id), signal);
    await storage.commit([sql`INSERT INTO things (kind, id, secret) VALUES ('lamp', ${id}, ${sealed})`], signal);
  };
  const secrets = async (sealer: Sealer) => {
    const rows = await storage.all<{ id: number; secret: string }>(
      sql`SELECT id, secret FROM things ORDER BY id`,
      signal,
    );
    return await Promise.all(
      rows.map(async ({ id, secret }) => (await sealer.open(secret, placeOf(id), signal)).reveal()),
    );
  };
  const expected = (count: number) => Array.from({ length: count }, (_, id) => `secret ${id}`);

  it('brings every value under the new key, and drops the old one an hour later', async () => {
    const ring = await open();
    const sealer = new Sealer(ring);
    for (let id = 0; id < 250; id++) await put(sealer, id);
    const [first] = ring.list();
    const rotation = await rotate(ring);
    assert.equal(rotation.rewrapped, 250);
    assert.deepEqual([rotation.dropped, rotation.kept.map(({ id }) => id)], [[], [first?.id]]);
    assert.deepEqual(await secrets(sealer), expected(250));
    clock.set(clock.now() + HOUR_MS);
    const finished = await finishRotation({ storage, ring, columns: [COLUMN], clock }, signal);
    assert.deepEqual([finished.rewrapped, finished.dropped], [0, [first?.id]]);
    assert.deepEqual(await secrets(new Sealer(await open())), expected(250));
  });

  it('goes on where a killed one stopped', async () => {
    const ring = await open();
    for (let id = 0; id < 250; id++) await put(new Sealer(ring), id);
    const killed = new AbortController();
    const onProgress = (): void => killed.abort();
    await assert.rejects(rotateKeys({ storage, ring, columns: [COLUMN], clock, onProgress }, killed.signal));
    assert.deepEqual(await secrets(new Sealer(ring)), expected(250));
    const again = FileKeyRing.open(file);
    assert.equal((await finishRotation({ storage, ring: again, columns: [COLUMN], clock }, signal)).rewrapped, 150);
    assert.equal(again.list().length, 2);
  });

  it('is noticed by a process that has the file open', async () => {
    const running = new Sealer(await open());
    await put(running, 0);
    const { activeId } = await rotate(FileKeyRing.open(file));
    await put(running, 1);
    const row = await storage.get<{ secret: string }>(sql`SELECT secret FROM things WHERE id = ${1}`, signal);
    assert.equal(row?.secret.split(':')[2], activeId);
    assert.deepEqual(await secrets(running), expected(2));
  });

  it('keeps a key that something is under which nobody named', async () => {
    const ring = await open();
    await put(new Sealer(ring), 0);
    await storage.commit([sql`UPDATE things SET note = secret`], signal);
    const [first] = ring.list();
    await rotate(ring);
    clock.set(clock.now() + HOUR_MS);
    const { kept, dropped } = await finishRotation({ storage, ring, columns: [COLUMN], clock }, signal);
    assert.deepEqual(kept, [{ id: first?.id, because: 'values in things.note are under it' }]);
    assert.deepEqual(dropped, []);
  });

  it('leaves a value alone that changed meanwhile', async () => {
    const ring = await open();
    await put(new Sealer(ring), 0);
    ring.add(clock.now());
    const racing = {
      all: storage.all.bind(storage),
      engine: storage.engine,
      commit: async (...call: Parameters<Storage['commit']>) => {
        await storage.commit([sql`UPDATE things SET secret = ${'changed'}`], signal);
        return await storage.commit(...call);
      },
    } as unknown as Storage;
    const { rewrapped } = await rewrapColumn({ storage: racing, keys: ring, column: COLUMN }, signal);
    assert.equal(rewrapped, 0);
    assert.deepEqual(await storage.all(sql`SELECT secret FROM things`, signal), [{ secret: 'changed' }]);
  });

  it('goes past a value that nobody can open', async () => {
    const ring = await open();
    for (let id = 0; id < 3; id++) await put(new Sealer(ring), id);
    await storage.commit([sql`UPDATE things SET secret = ${'sealed:v1:gone:AA:AA'} WHERE id = ${1}`], signal);
    const { rewrapped, unreadable } = await rotate(ring);
    assert.deepEqual([rewrapped, unreadable], [2, 1]);
  });

  it('refuses to begin without the file once the database knows a key, or with another file', async () => {
    await open();
    rmSync(file);
    await assert.rejects(open(), { code: 'KEY_FILE_MISSING' });
    const other = await fresh();
    await openKeyRing({ file, storage: await other.open([SEALING_MIGRATIONS]), clock }, signal);
    await other.dispose();
    await assert.rejects(open(), { code: 'KEY_UNKNOWN' });
  });

  it('wraps nothing once the file is gone', async () => {
    const sealer = new Sealer(await open());
    rmSync(file);
    await assert.rejects(sealer.seal(new Secret('x'), placeOf(0), signal), { code: 'KEY_FILE_MISSING' });
  });
});
