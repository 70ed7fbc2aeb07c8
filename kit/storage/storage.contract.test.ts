import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { DATABASES, freshDatabase, type TestDatabase } from '#testing/databases';
import type { Storage } from './port.ts';
import { sql } from './sql.ts';
import { gate } from './testing/gate.ts';
import { openDatabase } from './testing/open-database.ts';

const THINGS = {
  module: 'things',
  migrations: [
    {
      number: 1,
      name: 'things',
      compatibleFrom: 0,
      up: {
        sqlite:
          'CREATE TABLE things (id KEYTEXT PRIMARY KEY, version BIGINT NOT NULL, note TEXT, bytes BLOB, CHECK (version > 0))',
        postgres:
          'CREATE TABLE things (id KEYTEXT PRIMARY KEY, version BIGINT NOT NULL, note TEXT, bytes BYTEA, CHECK (version > 0))',
      },
    },
    {
      number: 2,
      name: 'parts',
      compatibleFrom: 1,
      up: 'CREATE TABLE parts (id KEYTEXT PRIMARY KEY, thing KEYTEXT NOT NULL REFERENCES things (id), n DOUBLE PRECISION)',
    },
  ],
};

const never = new AbortController().signal;
const insert = (id: string, version = 1) => sql`INSERT INTO things (id, version) VALUES (${id}, ${version})`;
const bump = (id: string, from: number) =>
  sql.expect(1, sql`UPDATE things SET version = version + 1 WHERE id = ${id} AND version = ${from}`);

for (const engine of DATABASES) {
  describe(`storage on ${engine}`, () => {
    let database: TestDatabase;
    let storage: Storage;
    let number = 0;
    const id = (): string => `thing-${number++}`;
    const exists = async (which: string): Promise<boolean> =>
      (await storage.get(sql`SELECT 1 AS one FROM things WHERE id = ${which}`, never)) !== undefined;

    before(async () => {
      database = await freshDatabase(engine);
      storage = await openDatabase(database, { modules: [THINGS] });
    });
    after(async () => {
      await storage.close();
      await database.dispose();
    });

    it('gives back what was stored, of every kind of value', async () => {
      const [a, bytes] = [id(), new Uint8Array([0, 1, 255])];
      const note = 'ü 漢 𝄞 \' " \\ line\nbreak';
      await storage.commit(
        [
          sql`INSERT INTO things (id, version, note, bytes) VALUES (${a}, ${Number.MAX_SAFE_INTEGER}, ${note}, ${bytes})`,
          sql`INSERT INTO parts (id, thing, n) VALUES (${a}, ${a}, ${0.1})`,
        ],
        never,
      );
      const row = await storage.get(sql`SELECT * FROM things WHERE id = ${a}`, never);
      assert.ok(row?.['bytes'] instanceof Uint8Array);
      assert.deepEqual(
        { ...row, bytes: [...row['bytes']] },
        {
          id: a,
          version: Number.MAX_SAFE_INTEGER,
          note,
          bytes: [...bytes],
        },
      );
      assert.deepEqual(
        await storage.all(sql`SELECT n, count(*) AS c, sum(n) AS s FROM parts WHERE id = ${a} GROUP BY n`, never),
        [{ n: 0.1, c: 1, s: 0.1 }],
      );
      assert.equal((await storage.get(sql`SELECT note FROM things WHERE id = ${'none'}`, never))?.['note'], undefined);
    });

    it('tells how many rows each statement of a batch changed', async () => {
      const [a, b] = [id(), id()];
      const none = sql`UPDATE things SET note = ${'x'} WHERE id = ${'nobody'}`;
      assert.deepEqual(await storage.commit([insert(a), insert(b), none], never), [1, 1, 0]);
    });

    for (const { why, bad, code } of [
      { why: 'a key that exists', bad: (a: string) => insert(a), code: 'UNIQUE_VIOLATED' },
      {
        why: 'a reference to nothing',
        bad: () => sql`INSERT INTO parts (id, thing) VALUES (${'p'}, ${'nobody'})`,
        code: 'REFERENCE_VIOLATED',
      },
      {
        why: 'a value out of bounds',
        bad: (a: string) => sql`UPDATE things SET version = ${-1} WHERE id = ${a}`,
        code: 'CHECK_VIOLATED',
      },
      { why: 'a forgotten value', bad: () => sql`INSERT INTO things (id) VALUES (${'v'})`, code: 'CHECK_VIOLATED' },
      { why: 'a text that is no SQL', bad: () => sql`SELEKT ${1}`, code: 'STATEMENT_REFUSED' },
      { why: 'a guard that does not hold', bad: (a: string) => bump(a, 7), code: 'GUARD_FAILED' },
    ]) {
      it(`keeps nothing of a batch with ${why}, and says which it was`, async () => {
        const [a, b] = [id(), id()];
        await storage.commit([insert(a)], never);
        await assert.rejects(storage.commit([insert(b), bad(a)], never), { code });
        assert.equal(await exists(b), false);
        await assert.rejects(
          storage.write(async (tx) => await tx.batch([insert(b), bad(a)]), never),
          { code },
        );
        assert.equal(await exists(b), false);
      });
    }

    it('lets no bad batch harm another that is written with it', async () => {
      const ids = Array.from({ length: 60 }, id);
      const taken = id();
      await storage.commit([insert(taken)], never);
      const outcomes = await Promise.allSettled(
        ids.map((each, index) =>
          storage.commit(index % 20 === 7 ? [insert(each), insert(taken)] : [insert(each)], never),
        ),
      );
      for (const [index, outcome] of outcomes.entries()) {
        const bad = index % 20 === 7;
        assert.equal(outcome.status, bad ? 'rejected' : 'fulfilled', `batch ${index}`);
        assert.equal(await exists(ids[index] ?? ''), !bad, `row ${index}`);
      }
    });

    it('lets one of two win who saw the same version', async () => {
      const a = id();
      await storage.commit([insert(a)], never);
      const outcomes = await Promise.allSettled([
        storage.commit([bump(a, 1)], never),
        storage.commit([bump(a, 1)], never),
        storage.write(async (tx) => await tx.run(bump(a, 1)), never),
      ]);
      assert.equal(outcomes.filter((outcome) => outcome.status === 'fulfilled').length, 1);
      assert.equal((await storage.get(sql`SELECT version FROM things WHERE id = ${a}`, never))?.['version'], 2);
    });

    it('shows a transaction its own writes, and nobody else before it ends', async () => {
      const a = id();
      const seen: boolean[] = [];
      const result = await storage.write(async (tx) => {
        await tx.run(insert(a));
        seen.push((await tx.get(sql`SELECT 1 AS one FROM things WHERE id = ${a}`)) !== undefined, await exists(a));
        return 'done';
      }, never);
      assert.deepEqual([result, ...seen, await exists(a)], ['done', true, false, true]);
    });

    it('keeps nothing of a body that throws, and lets its own error through', async () => {
      const [a, own] = [id(), new Error('changed my mind')];
      const body = storage.write(async (tx) => {
        await tx.run(insert(a));
        throw own;
      }, never);
      await assert.rejects(body, (error) => error === own);
      assert.equal(await exists(a), false);
    });

    it('keeps nothing of a body that went on after an error', async () => {
      const [a, b] = [id(), id()];
      await storage.commit([insert(a)], never);
      const body = storage.write(async (tx) => {
        await tx.run(insert(b));
        await tx.run(insert(a)).catch(() => 'swallowed');
        return 'done';
      }, never);
      await assert.rejects(body, { code: 'UNIQUE_VIOLATED' });
      assert.equal(await exists(b), false);
    });

    it('runs statements that a body asks for at once, in the order of asking', async () => {
      const a = id();
      await storage.write(
        async (tx) => await Promise.all([tx.run(insert(a)), tx.run(bump(a, 1)), tx.run(bump(a, 2))]),
        never,
      );
      assert.equal((await storage.get(sql`SELECT version FROM things WHERE id = ${a}`, never))?.['version'], 3);
    });

    it('puts transactions in a serial order: what one read still holds when it commits', async () => {
      const prefix = `${id()}-skew-`;
      const count = sql`SELECT count(*) AS n FROM things WHERE id LIKE ${`${prefix}%`}`;
      const addIfNone = (name: string) =>
        storage.write(async (tx) => {
          if (Number((await tx.get(count))?.['n']) > 0) return 0;
          return await tx.run(insert(prefix + name));
        }, never);
      const added = await Promise.all(['a', 'b', 'c', 'd', 'e'].map(addIfNone));
      assert.deepEqual(
        added.toSorted((a, b) => a - b),
        [0, 0, 0, 0, 1],
      );
      assert.equal((await storage.get(count, never))?.['n'], 1);
    });

    it('reads several statements from one moment', async () => {
      const a = id();
      await storage.commit([insert(a)], never);
      const version = sql`SELECT version FROM things WHERE id = ${a}`;
      const versions = await storage.read(async (reader) => {
        const first = await reader.get(version);
        await storage.commit([bump(a, 1)], never);
        return [first, await reader.get(version), await storage.get(version, never)].map((row) => row?.['version']);
      }, never);
      assert.deepEqual(versions, [1, 1, 2]);
    });

    it('reads on while a transaction is open and while a single statement takes long', async () => {
      const [a, opened, finish] = [id(), gate(), gate()];
      const open = storage.write(async (tx) => {
        await tx.run(insert(a));
        opened.open();
        await finish.passed;
      }, never);
      await opened.passed;
      assert.equal(await exists(a), false);
      finish.open();
      await open;

      let ended = false;
      const long = storage
        .commit(
          [
            sql`INSERT INTO things (id, version)
                WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000)
                SELECT ${`${a}-`} || i, 1 FROM n`,
          ],
          never,
        )
        .then((changes) => {
          ended = true;
          return changes;
        });
      let reads = 0;
      while (!ended && reads < 100) {
        assert.equal(await exists(a), true);
        await new Promise((resolve) => setImmediate(resolve));
        if (!ended) reads++;
      }
      assert.ok(reads >= 20, `only ${reads} reads were answered while the statement ran`);
      assert.deepEqual(await long, [200_000]);
    });

    it('ends a transaction that is open for too long, and refuses what its body still asks for', async () => {
      const impatient = await openDatabase(database, { modules: [THINGS], transactionTimeoutMs: 50 });
      const [a, late, over] = [id(), gate(), gate()];
      let refused: unknown;
      const body = impatient.write(async (tx) => {
        await tx.run(insert(a));
        await late.passed;
        refused = await tx.run(insert(id())).catch((error: unknown) => error);
        over.open();
      }, never);
      await assert.rejects(body, { code: 'TRANSACTION_TIMED_OUT' });
      late.open();
      await over.passed;
      assert.equal((refused as { code?: string }).code, 'CLOSED');
      assert.equal(await exists(a), false);
      assert.deepEqual(await impatient.commit([insert(a)], never), [1]);
      await impatient.close();
    });

    it('gives up when asked to, and writes nothing of it', async () => {
      const [a, b, began] = [id(), id(), gate()];
      const stop = new AbortController();
      const body = storage.write(async (tx) => {
        await tx.run(insert(a));
        began.open();
        await new Promise(() => {});
      }, stop.signal);
      await began.passed;
      stop.abort(new Error('enough'));
      await assert.rejects(body, /enough/);
      await assert.rejects(storage.commit([insert(b)], stop.signal), /enough/);
      assert.deepEqual([await exists(a), await exists(b)], [false, false]);
    });

    it('announces what was committed, and only that', async () => {
      const heard: string[] = [];
      let woken = gate();
      const stopListening = storage.onAnnounced('things', () => {
        heard.push('things');
        woken.open();
      });
      await assert.rejects(
        storage.commit([sql.announce('things', sql`INSERT INTO things (id) VALUES (${'bad'})`)], never),
      );
      await assert.rejects(
        storage.write(async (tx) => {
          await tx.run(sql.announce('things', insert(id())));
          throw new Error('no');
        }, never),
      );
      heard.length = 0;
      woken = gate();
      const a = id();
      await storage.commit([sql.announce('things', insert(a))], never);
      await woken.passed;
      woken = gate();
      await storage.write(async (tx) => await tx.run(sql.announce('things', insert(id()))), never);
      await woken.passed;
      woken = gate();
      await storage.announce('things', never);
      await woken.passed;
      stopListening();
      assert.ok(heard.length >= 3);
    });

    it('is the same after a reopening, and refuses what comes after its close', async () => {
      const second = await openDatabase(database, { modules: [THINGS] });
      const a = id();
      const under = second.commit([insert(a)], never);
      await second.close();
      assert.deepEqual(await under, [1]);
      assert.equal(await exists(a), true);
      await assert.rejects(second.commit([insert(id())], never), { code: 'CLOSED' });
      await assert.rejects(second.get(sql`SELECT 1 AS one`, never), { code: 'CLOSED' });
      await assert.rejects(
        second.write(async () => 1, never),
        { code: 'CLOSED' },
      );
      await assert.rejects(
        second.read(async () => 1, never),
        { code: 'CLOSED' },
      );
    });
  });
}
