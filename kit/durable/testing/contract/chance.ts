import assert from 'node:assert/strict';
import { it } from 'node:test';
import { chance, sleeper } from '../workflows/index.ts';
import { type Driver, freshId, SKEW_MS } from './driver.ts';
import type { Stage } from './stage.ts';

interface Draw {
  readonly now: number;
  readonly random: readonly number[];
  readonly uuids: readonly string[];
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

export function chanceContract(stage: Stage): void {
  const { world } = stage;
  const seenByWorld = (key: string): Draw => world.calls(key)[0]?.work.note as unknown as Draw;

  async function bothDraws(driver: Driver, id: string): Promise<{ first: Draw; second: Draw }> {
    await driver.signal(id, 'go');
    return (await driver.result(id)) as unknown as { first: Draw; second: Draw };
  }

  it('gives the same on every replay', async () => {
    const driver = await stage.driver();
    const key = freshId('key');
    const id = await driver.start(chance, { key });
    await driver.untilWaitingFor(id, 'signal');
    const later = await stage.restarted();
    const { first, second } = await bothDraws(later, id);
    assert.deepEqual(first, seenByWorld(key));
    assert.deepEqual(second, seenByWorld(`${key}-second`));
  });

  it('gives every draw and every workflow something of its own', async () => {
    const driver = await stage.driver();
    const ids = await Promise.all([1, 2, 3].map(() => driver.start(chance, { key: freshId('key') })));
    const draws = await Promise.all(ids.map((id) => bothDraws(driver, id)));
    const uuids = draws.flatMap(({ first, second }) => [...first.uuids, ...second.uuids]);
    const numbers = draws.flatMap(({ first, second }) => [...first.random, ...second.random]);
    assert.equal(new Set(uuids).size, 12);
    assert.equal(new Set(numbers).size, 12);
    assert.ok(
      uuids.every((uuid) => UUID.test(uuid)),
      uuids.join(' '),
    );
    assert.ok(
      numbers.every((number) => number >= 0 && number < 1),
      numbers.join(' '),
    );
  });

  it('tells the time of the event that woke it', async () => {
    const driver = await stage.driver();
    const begun = Date.now();
    const id = await driver.start(chance, { key: freshId('key') });
    await driver.untilWaitingFor(id, 'signal');
    const signalled = Date.now();
    const { first, second } = await bothDraws(driver, id);
    const ended = Date.now();
    assert.ok(first.now >= begun - SKEW_MS && first.now <= signalled + SKEW_MS, `${first.now}`);
    assert.ok(second.now >= signalled - SKEW_MS && second.now <= ended + SKEW_MS, `${second.now}`);
    assert.ok(second.now >= first.now);
  });

  it('never turns time back, not even for a timer that passed while nothing ran', async () => {
    const driver = await stage.driver();
    const id = await driver.start(sleeper, { ms: 200, key: freshId('key') });
    await driver.untilWaitingFor(id, 'timer');
    const later = await stage.restarted();
    const { before, after } = (await later.result(id)) as { before: number; after: number };
    assert.ok(after >= before + 200, `${after - before} ms`);
  });
}
