import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { ListTurns } from './list-turns.ts';

const signal = new AbortController().signal;

it('lets a few at a time, in the order in which they came, and forgets who gave up', async () => {
  const turns = new ListTurns(1);
  const order: string[] = [];
  const first = await turns.begin(signal);
  const gaveUp = new AbortController();
  const second = turns.begin(gaveUp.signal);
  const third = turns.begin(signal).then((done) => {
    order.push('third');
    return done;
  });
  const fourth = turns.begin(signal).then(() => order.push('fourth'));
  gaveUp.abort();
  await assert.rejects(second);
  first();
  first();
  const done = await third;
  await turn();
  assert.deepEqual(order, ['third'], 'whoever ends twice makes room once');
  done();
  await fourth;
});
