import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { aRefusal } from '../testing/an-entry.ts';
import { RefusalWindow, WINDOW_MS } from './refusal-window.ts';

const unknown = (address: string) => aRefusal({ principal: undefined, outcome: 'unauthenticated', address });

test('the first is told at once, the others as one when the minute is over', () => {
  const window = new RefusalWindow();
  const told = [0, 1, 2].map((time) => window.take(aRefusal({ time }), time));
  assert.deepEqual(
    told.map((entries) => entries.map(({ count }) => count)),
    [[1], [], []],
  );
  assert.deepEqual(window.close(WINDOW_MS - 1), []);
  const [others] = window.close(WINDOW_MS);
  assert.deepEqual([others?.count, others?.time, others?.lastTime], [2, 1, 2]);
  assert.deepEqual(window.take(aRefusal(), WINDOW_MS).length, 1);
});

for (const { why, refusals, kinds } of [
  { why: 'who asked', refusals: [aRefusal(), aRefusal({ principal: { kind: 'user', id: 'bob' } })], kinds: 2 },
  { why: 'what for', refusals: [aRefusal(), aRefusal({ resource: '/v1/x' })], kinds: 2 },
  { why: 'not the request', refusals: [aRefusal(), aRefusal({ requestId: 'x', time: 7 })], kinds: 1 },
  { why: 'where an unknown caller is', refusals: [unknown('10.0.0.1'), unknown('10.0.0.2')], kinds: 2 },
  {
    why: 'not what an unknown caller wants',
    refusals: [unknown('::1'), { ...unknown('::1'), resource: '/' }],
    kinds: 1,
  },
  {
    why: 'not which of its addresses a network uses',
    refusals: [unknown('2001:db8:1:2::1'), unknown('2001:db8:1:2::9')],
    kinds: 1,
  },
]) {
  test(`refusals are told apart by ${why}`, () => {
    const window = new RefusalWindow();
    assert.equal(refusals.flatMap((refusal) => window.take(refusal, 0)).length, kinds);
  });
}

test('whatever comes, every refusal is counted once and few entries are made', () => {
  const refusal = fc.record({
    who: fc.option(fc.nat({ max: 300 }), { nil: undefined }),
    address: fc.nat({ max: 300 }),
    place: fc.nat({ max: 30 }),
    name: fc.nat({ max: 300 }),
  });
  fc.assert(
    fc.property(fc.array(refusal, { maxLength: 2_000, size: 'max' }), (refusals) => {
      const window = new RefusalWindow();
      const entries = refusals.flatMap(({ who, address, place, name }) => {
        const principal = who === undefined ? undefined : { kind: 'user', id: `u${who}` };
        const outcome = who === undefined ? 'unauthenticated' : who % 2 ? 'denied' : 'hidden';
        return window.take(
          aRefusal({ principal, outcome, address: `10.0.0.${address}`, resource: `/v1/targets/t${place}/api/${name}` }),
          0,
        );
      });
      entries.push(...window.close(WINDOW_MS));
      assert.equal(
        entries.reduce((sum, { count }) => sum + count, 0),
        refusals.length,
      );
      assert.ok(entries.length <= 646, `${entries.length} entries`);
    }),
    { numRuns: 30 },
  );
});

test('nobody answers for what many others did', () => {
  const window = new RefusalWindow();
  const entries = Array.from({ length: 301 }, (_, who) =>
    window.take(aRefusal({ principal: { kind: 'user', id: `u${who}` } }), 0),
  ).flat();
  assert.deepEqual(
    [entries.at(-1)?.principal, entries.at(-1)?.operation, entries.at(-1)?.outcome],
    [undefined, 'several', 'denied'],
  );
});

test('a flood of one caller takes no details from others, and is recorded in its name', () => {
  const window = new RefusalWindow();
  const [ann, bob] = [
    { kind: 'user', id: 'ann' },
    { kind: 'user', id: 'bob' },
  ];
  for (let nth = 0; nth < 1_000; nth += 1) {
    window.take(aRefusal({ principal: ann, resource: `/v1/workspaces/w${nth}` }), 0);
  }
  const [entry] = window.take(aRefusal({ principal: bob, resource: '/v1/targets/t1' }), 0);
  assert.deepEqual([entry?.principal, entry?.resource], [bob, '/v1/targets/t1']);
  const rest = window.close(WINDOW_MS);
  assert.deepEqual(
    rest.map(({ principal, operation, count }) => [principal, operation, count]),
    [[ann, 'several', 969]],
  );
});

test('what is beyond the details of a caller is counted for each operation and place', () => {
  const window = new RefusalWindow();
  const proxied = (target: string, nth: number) =>
    aRefusal({ operation: 'proxy', resource: `/v1/targets/${target}/api/v1/namespaces/n${nth}/secrets?watch=1` });
  const entries = Array.from({ length: 120 }, (_, nth) =>
    window.take(proxied(nth % 3 === 0 ? 'edge' : 'prod', nth), 0),
  ).flat();
  assert.equal(entries.length, 22, 'twenty in detail, and the first of each place');
  const counts = window.close(WINDOW_MS).map(({ operation, resource, count }) => [operation, resource, count]);
  assert.deepEqual(counts, [
    ['proxy', '/v1/targets/prod', 66],
    ['proxy', '/v1/targets/edge', 32],
  ]);
});
