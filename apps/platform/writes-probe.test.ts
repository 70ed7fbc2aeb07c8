import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { refusedWrites, type Storage, StorageError } from '#kit/storage';
import { writesProbe } from './writes-probe.ts';

const signal = new AbortController().signal;
const refusal = new StorageError('DISK_FULL', 'the disk of the server is full');

/** A probe on a storage that refuses each write for which the test has an error. */
function probed({ engine = 'postgres', free = 10 ** 9 }: { engine?: 'sqlite' | 'postgres'; free?: number } = {}) {
  const state = { now: 0, free, readOnly: 'off', refuses: undefined as StorageError | undefined, writes: 0, gauge: -1 };
  const storage = {
    engine,
    get: async () => ({ setting: state.readOnly }),
    commit: async () => {
      state.writes += 1;
      if (state.refuses !== undefined) throw state.refuses;
      return [1];
    },
  } as unknown as Storage;
  const metrics = { gauge: () => ({ set: (_: object, value: number) => void (state.gauge = value) }) };
  const refused = refusedWrites(storage, () => state.now);
  const probe = writesProbe({ refused, dataFolder: '/', now: () => state.now, metrics, freeBytes: () => state.free });
  return { state, check: () => probe.check(signal), write: () => refused.storage.commit([], signal) };
}

describe('the probe of writes', () => {
  it('does not write while no write was refused', async () => {
    const { state, check, write } = probed();
    await write();
    await check();
    assert.equal(state.writes, 1);
  });

  it('fails with the refusal for ten seconds, then with each one of its own, until it can write', async () => {
    const { state, check, write } = probed();
    state.refuses = refusal;
    await assert.rejects(write(), refusal);
    await assert.rejects(check(), refusal);
    assert.equal(state.writes, 1, 'it does not write so soon');
    state.now += 10_000;
    await assert.rejects(check(), refusal);
    assert.equal(state.writes, 2);
    state.refuses = undefined;
    state.now += 10_000;
    await check();
    await check();
    assert.equal(state.writes, 3);
  });

  it('does not count a refusal of one statement alone', async () => {
    const { state, check, write } = probed();
    state.refuses = new StorageError('UNIQUE_VIOLATED', 'it exists');
    await assert.rejects(write());
    await check();
  });

  it('fails on SQLite when the disk has no room for what a write needs', async () => {
    const { check } = probed({ engine: 'sqlite', free: 4 * 1024 * 1024 - 1 });
    await assert.rejects(check(), { code: 'DISK_FULL' });
  });

  it('fails on a Postgres that is read-only, before any write was refused', async () => {
    const { state, check } = probed();
    state.readOnly = 'on';
    await assert.rejects(check(), { code: 'DATABASE_READ_ONLY' });
  });
});
