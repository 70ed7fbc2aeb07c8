import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { aborted, type Clock, sleep } from '#kit/std';
import { type Storage, StorageError, sql } from '#kit/storage';
import { LEASE_MIGRATIONS, LeaseError, type LeaseFact, Leases, type Term } from '#kit/storage/leases';
import { DATABASES, eachDatabase, freshDatabase, type TestDatabase } from '#testing/databases';
import { eventually } from '../../durable/testing/eventually.ts';
import type { MigrationModule } from '../migrations.ts';
import { alteredStorage } from '../outbox/testing/altered-storage.ts';

const NOTES: MigrationModule = {
  module: 'notes',
  migrations: [{ number: 1, name: 'notes', compatibleFrom: 0, up: 'CREATE TABLE notes (text KEYTEXT PRIMARY KEY);' }],
};
const MODULES = [LEASE_MIGRATIONS, NOTES];
/** Each test has its own deadline. */
const { signal } = new AbortController();

function note(text: string) {
  return sql`INSERT INTO notes (text) VALUES (${text})`;
}

async function notes(storage: Storage): Promise<string> {
  const rows = await storage.all<{ text: string }>(sql`SELECT text FROM notes ORDER BY text`, signal);
  return rows.map(({ text }) => text).join(' ');
}

interface Process {
  readonly leases: Leases;
  readonly facts: LeaseFact[];
  /** Stops standing for the role. */
  withdraw(role: string): Promise<void>;
  stop(): Promise<void>;
}

interface Settings {
  readonly roles: readonly string[];
  readonly leaseMs?: number;
  readonly seat?: string;
  readonly clock?: Clock;
  readonly monotonic?: () => number;
}

/** A process that leads whatever it can, and does nothing in it. */
function start(t: TestContext, storage: Storage, { roles, ...settings }: Settings): Process {
  const facts: LeaseFact[] = [];
  // Looks often, however long a lease is.
  const often = (ms: number, stop: AbortSignal): Promise<void> => sleep(Math.min(ms, 50), stop);
  const leases = new Leases({ storage, sleep: often, onFact: (fact) => facts.push(fact), leaseMs: 1_000, ...settings });
  const over = new AbortController();
  const stands = new Map(roles.map((role) => [role, new AbortController()]));
  const running = [
    leases.run(over.signal),
    ...[...stands].map(([role, each]) =>
      leases.lead(role, (term: Term) => aborted(term.signal), AbortSignal.any([over.signal, each.signal])),
    ),
  ];
  const stop = async (): Promise<void> => {
    over.abort(new Error('enough'));
    await Promise.all(running);
  };
  t.after(stop);
  return { leases, facts, withdraw: async (role) => stands.get(role)?.abort(new Error('withdrawn')), stop };
}

function leads({ leases }: Process, ...roles: string[]): number {
  return roles.filter((role) => leases.term(role) !== undefined).length;
}

async function beatOf({ leases }: Process, storage: Storage): Promise<number> {
  const row = await storage.get<{ beat: number }>(
    sql`SELECT beat FROM lease_holders WHERE id = ${leases.instanceId}`,
    signal,
  );
  return row?.beat ?? 0;
}

async function leading(process: Process, role: string): Promise<Term> {
  return await eventually(`it to lead for ${role}`, () => process.leases.term(role));
}

eachDatabase('leases', (fresh) => {
  async function opened(t: TestContext): Promise<{ database: TestDatabase; storage: Storage }> {
    const database = await fresh();
    t.after(() => database.dispose());
    return { database, storage: await database.open(MODULES) };
  }

  it('a leader writes under its epoch, in a transaction and in a batch', async (t) => {
    const { storage } = await opened(t);
    const process = start(t, storage, { roles: ['one'] });
    const term = await leading(process, 'one');
    assert.equal(term.epoch, 1);
    const value = await term.storage.write(async (tx) => await tx.run(note('written')), signal);
    assert.equal(value, 1);
    assert.deepEqual(await term.storage.commit([note('committed'), note('twice')], signal), [1, 1]);
    await process.leases.fenced('one').commit([note('by name')], signal);
    assert.equal(await notes(storage), 'by name committed twice written');
  });

  it('of an ended epoch nothing commits, whichever way it is written', async (t) => {
    const { storage } = await opened(t);
    const process = start(t, storage, { roles: ['one'] });
    const old = await leading(process, 'one');
    // As another process does that takes over while this one is stopped.
    await storage.commit([sql`UPDATE leases SET holder = ${'another'}, epoch = epoch + 1`], signal);
    const isEnded = (error: unknown): boolean => error instanceof LeaseError;
    await assert.rejects(
      old.storage.write((tx) => tx.run(note('written')), signal),
      isEnded,
    );
    await assert.rejects(old.storage.commit([note('committed')], signal), isEnded);
    await eventually('it to know', () => old.signal.aborted);
    assert.equal(await notes(storage), '');
  });

  it('a guard of its own that fails is no end of the epoch', async (t) => {
    const { storage } = await opened(t);
    const process = start(t, storage, { roles: ['one'] });
    const term = await leading(process, 'one');
    const failing = term.storage.commit([note('a'), sql.expect(7, note('b'))], signal);
    await assert.rejects(failing, (error) => error instanceof StorageError && error.code === 'GUARD_FAILED');
    assert.ok(!term.signal.aborted);
    assert.equal(await notes(storage), '');
  });

  it('without a term, a write by the name of the role is refused', async (t) => {
    const { storage } = await opened(t);
    const leases = new Leases({ storage });
    await assert.rejects(leases.fenced('one').commit([note('x')], signal), LeaseError);
    await assert.rejects(
      leases.fenced('one').write((tx) => tx.run(note('x')), signal),
      LeaseError,
    );
    assert.equal(await notes(storage), '');
  });

  it('work that returns is followed by a term with a later epoch', async (t) => {
    const { storage } = await opened(t);
    const leases = new Leases({ storage });
    const over = new AbortController();
    const epochs: number[] = [];
    const work = async ({ epoch }: Term): Promise<void> => {
      if (epochs.push(epoch) === 3) over.abort(new Error('enough'));
    };
    await Promise.all([leases.run(over.signal), leases.lead('one', work, over.signal)]);
    assert.deepEqual(epochs, [1, 2, 3]);
  });

  it('work that fails ends the candidacy, and what failed is known', async (t) => {
    const { storage } = await opened(t);
    const process = start(t, storage, { roles: [] });
    const over = new AbortController();
    const failing = process.leases.lead('one', () => Promise.reject(new Error('broken')), over.signal);
    await assert.rejects(failing, /broken/);
    await eventually('the role to be free', async () => {
      const row = await storage.get<{ holder: string | null }>(sql`SELECT holder FROM leases`, signal);
      return row?.holder === null;
    });
  });

  it('a process that stops is not listed any more', async (t) => {
    const { storage } = await opened(t);
    const process = start(t, storage, { roles: ['one', 'two'] });
    await leading(process, 'one');
    await leading(process, 'two');
    const [own, ...others] = await process.leases.instances(signal);
    assert.deepEqual([own?.isAlive, others.length, own?.leads.map(({ role }) => role)], [true, 0, ['one', 'two']]);
    await process.stop();
    assert.deepEqual(await process.leases.instances(signal), []);
  });
});

const POOL = Array.from({ length: 8 }, (_, nth) => `pool/${nth}`);

const skip = DATABASES.includes('postgres') ? false : 'FLEETSHIFT_TEST_DATABASES leaves Postgres out';

describe('leases of several processes', { skip }, () => {
  async function several(t: TestContext): Promise<() => Promise<Storage>> {
    const database = await freshDatabase('postgres');
    t.after(() => database.dispose());
    return () => database.open(MODULES);
  }

  it('one leads, and when it stops another does', async (t) => {
    const open = await several(t);
    const first = start(t, await open(), { roles: ['one'] });
    const before = await leading(first, 'one');
    const second = start(t, await open(), { roles: ['one'], leaseMs: 600_000 });
    await eventually('both to be listed', async () => (await second.leases.instances(signal)).length === 2);
    assert.equal(leads(second, 'one'), 0);
    await first.stop();
    const after = await leading(second, 'one');
    assert.ok(after.epoch > before.epoch);
  });

  it('roles are spread, also over a process that comes later, and are taken over from one that goes', async (t) => {
    const open = await several(t);
    const first = start(t, await open(), { roles: POOL });
    await eventually('the first to have all', () => leads(first, ...POOL) === POOL.length);
    const second = start(t, await open(), { roles: POOL });
    await eventually('each to have half', () => leads(first, ...POOL) === 4 && leads(second, ...POOL) === 4);
    await first.stop();
    await eventually('the second to have all', () => leads(second, ...POOL) === POOL.length);
  });

  it('a process whose heartbeats fail stops leading; another takes over, and its late writes are refused', async (t) => {
    const open = await several(t);
    const storage = await open();
    let isCut = false;
    const whole = async <V>(go: () => Promise<V>): Promise<V> => {
      if (isCut) throw new StorageError('CONNECTION_LOST', 'cut');
      return await go();
    };
    const cut = alteredStorage(storage, {
      write: (body, stop) => whole(() => storage.write(body, stop)),
      commit: (batch, stop) => whole(() => storage.commit(batch, stop)),
    });
    const first = start(t, cut, { roles: ['one'] });
    const old = await leading(first, 'one');
    const second = start(t, await open(), { roles: ['one'] });
    isCut = true;
    await eventually('the first to give up', () => first.facts.some((fact) => fact.kind === 'ended'));
    assert.deepEqual(first.facts.find((fact) => fact.kind === 'ended')?.why, 'silent');
    await leading(second, 'one');
    isCut = false;
    await assert.rejects(old.storage.commit([note('late')], signal), LeaseError);
    await eventually('the first to be back', async () => {
      const seen = await second.leases.instances(signal);
      return seen.length === 2 && seen.every(({ isAlive }) => isAlive);
    });
    assert.equal(leads(first, 'one'), 0);
    assert.equal(await notes(storage), '');
  });

  it('a role whose row is locked by a leader that was stopped holds up neither the heartbeat nor other roles', async (t) => {
    const open = await several(t);
    const storage = await open();
    await storage.commit([sql`INSERT INTO leases VALUES ('locked', 'gone', 3, 0), ('free', 'gone', 3, 0)`], signal);
    const stopped = await open();
    const locked = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const writing = stopped.write(async (tx) => {
      await tx.get(sql`SELECT 1 AS one FROM leases WHERE role = 'locked' FOR SHARE`);
      locked.resolve();
      await goOn.promise;
    }, signal);
    await locked.promise;
    const process = start(t, storage, { roles: ['locked', 'free'], leaseMs: 1_500 });
    await leading(process, 'free');
    const before = await beatOf(process, storage);
    await eventually('it to beat', async () => (await beatOf(process, storage)) > before + 2);
    assert.equal(leads(process, 'locked'), 0);
    assert.equal(leads(process, 'free'), 1);
    goOn.resolve();
    await writing;
    assert.equal((await leading(process, 'locked')).epoch, 4);
  });

  it('batches that wait for a lock do not keep a leader from beating', async (t) => {
    const open = await several(t);
    const storage = await open();
    const process = start(t, storage, { roles: ['one'], leaseMs: 1_500 });
    const term = await leading(process, 'one');
    const locked = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    await storage.commit([note('contended')], signal);
    const other = await open();
    const writing = other.write(async (tx) => {
      await tx.get(sql`SELECT 1 AS one FROM notes FOR UPDATE`);
      locked.resolve();
      await goOn.promise;
    }, signal);
    await locked.promise;
    const waiting = storage.commit([sql`DELETE FROM notes`], signal);
    const before = await beatOf(process, other);
    await eventually('it to beat', async () => (await beatOf(process, other)) > before + 4);
    assert.ok(!term.signal.aborted, 'it leads still');
    goOn.resolve();
    await Promise.all([writing, waiting]);
  });

  it('a process that could not beat takes no lease from one that could not beat either', async (t) => {
    const open = await several(t);
    const whole = await open();
    await whole.commit(
      [
        sql`INSERT INTO leases VALUES ('one', 'other', 1, 0)`,
        sql`INSERT INTO lease_holders (id, seat, beat, since, beat_at, stands_for, about)
          VALUES ('other', '', 1, 0, 0, '["one"]', '{}')`,
      ],
      signal,
    );
    let now = 0;
    let isCut = false;
    let looks = 0;
    const storage = alteredStorage(whole, {
      write: async (body, stop) => {
        if (isCut) throw new StorageError('CONNECTION_LOST', 'cut');
        return await whole.write(body, stop);
      },
      read: async (body, stop) => {
        const read = await whole.read(body, stop);
        looks += 1;
        return read;
      },
    });
    const process = start(t, storage, { roles: ['one'], leaseMs: 400, monotonic: () => now });
    const lookTwice = async (): Promise<void> => {
      const until = looks + 2;
      await eventually('it to look twice', () => looks >= until);
    };
    await lookTwice();
    isCut = true;
    now = 100_000;
    await eventually('it to notice', () => process.facts.some(({ kind }) => kind === 'interrupted'));
    isCut = false;
    await lookTwice();
    assert.equal(leads(process, 'one'), 0, 'the other one gets the time of a lease again');
    for (let passed = 0; passed < 500; passed += 100) {
      now += 100;
      await lookTwice();
    }
    await leading(process, 'one');
  });

  it('a term says whether another process has led since the former one', async (t) => {
    const open = await several(t);
    const storage = await open();
    const process = start(t, storage, { roles: [] });
    const stands = async (): Promise<readonly [boolean, AbortController, Promise<void>]> => {
      const over = new AbortController();
      const led = process.leases.lead('one', (term) => aborted(term.signal), over.signal);
      return [(await leading(process, 'one')).continues, over, led];
    };
    const [first, over, led] = await stands();
    over.abort(new Error('withdrawn'));
    await led;
    const [again, overAgain, ledAgain] = await stands();
    overAgain.abort(new Error('withdrawn'));
    await ledAgain;
    await eventually('the role to be free', async () => {
      const row = await storage.get<{ holder: string | null }>(sql`SELECT holder FROM leases`, signal);
      return row?.holder === null;
    });
    await storage.commit([sql`UPDATE leases SET epoch = epoch + 1`], signal);
    const [afterAnother] = await stands();
    assert.deepEqual([first, again, afterAnother], [true, true, false]);
  });

  it('a process of the same seat takes over at once, but only when it starts', async (t) => {
    const open = await several(t);
    const settings = { roles: ['one'], seat: 'folder', leaseMs: 600_000 };
    const first = start(t, await open(), settings);
    await leading(first, 'one');
    const second = start(t, await open(), settings);
    await leading(second, 'one');
    await eventually('the first to have lost it', () => leads(first, 'one') === 0);
    assert.equal(leads(second, 'one'), 1);
  });

  it('clocks that differ, and jump, change nothing', async (t) => {
    const open = await several(t);
    let hours = 0;
    const jumping = { now: () => (hours += 5) * 3_600_000 };
    const first = start(t, await open(), { roles: ['one'], leaseMs: 1_500, clock: { now: () => 0 } });
    const term = await leading(first, 'one');
    const second = start(t, await open(), { roles: ['one'], leaseMs: 1_500, clock: jumping });
    await eventually('heartbeats to have been written', async () => {
      const seen = await second.leases.instances(signal);
      return seen.length === 2 && seen.every(({ beat }) => beat > 5);
    });
    assert.ok(!term.signal.aborted);
    assert.equal(leads(second, 'one'), 0);
  });

  it('a transaction that is open when another process would take over commits first, or not at all', async (t) => {
    const open = await several(t);
    const storage = await open();
    const first = start(t, storage, { roles: ['one'] });
    const old = await leading(first, 'one');
    const other = await open();
    const begun = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const writing = old.storage.write(async (tx) => {
      await tx.run(note('late'));
      begun.resolve();
      await goOn.promise;
    }, signal);
    writing.catch(() => {});
    await begun.promise;
    await other.commit([sql`UPDATE leases SET holder = ${'another'}, epoch = epoch + 1`], signal);
    goOn.resolve();
    await assert.rejects(writing, LeaseError);
    assert.equal(await notes(other), '');
  });
});
