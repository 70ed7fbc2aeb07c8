import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { StdError } from './std-error.ts';
import { createUuidv7, parseUuid, uuidv7 } from './uuidv7.ts';

const SHAPE = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

function generator(times: readonly number[], random: (size: number) => Uint8Array) {
  let call = 0;
  return createUuidv7({ now: () => times[call++] ?? 0 }, random);
}

/** The 74 bits besides time, version and variant: a counter of 32 bits, then 42 random bits. */
function payloadOf(uuid: string): { counter: number; rest: bigint } {
  const all = BigInt(`0x${uuid.replaceAll('-', '')}`);
  const payload = (((all >> 64n) & 0xfffn) << 62n) | (all & ((1n << 62n) - 1n));
  return { counter: Number(payload >> 42n), rest: payload & ((1n << 42n) - 1n) };
}

function restOf(drawn: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(drawn).subarray(4).toString('hex')}`) & ((1n << 42n) - 1n);
}

function millisecondOf(uuid: string): number {
  return Number.parseInt(uuid.replaceAll('-', '').slice(0, 12), 16);
}

const bytes = fc.uint8Array({ minLength: 10, maxLength: 10 });

test('ids only grow, whatever the clock does and whatever is drawn', () => {
  const extremes = fc.constantFrom(new Uint8Array(10), new Uint8Array(10).fill(255));
  const draws = fc.array(fc.record({ now: fc.nat(5), drawn: fc.oneof(bytes, extremes) }));
  fc.assert(
    fc.property(draws, (script) => {
      const random = script.map(({ drawn }) => drawn);
      const next = generator(
        script.map(({ now }) => now),
        () => random.shift() ?? new Uint8Array(10),
      );
      const ids = script.map(() => next());
      ids.forEach((id, index) => {
        assert.match(id, SHAPE);
        assert.ok(index === 0 || id > (ids[index - 1] ?? ''), `${id} follows ${ids[index - 1]}`);
      });
    }),
  );
});

test('within a millisecond the counter goes up by one, and no drawn bit is lost', () => {
  fc.assert(
    fc.property(bytes, bytes, (first, second) => {
      const random = [first, second];
      const next = generator([7, 7], () => random.shift() ?? first);
      const [a, b] = [next(), next()].map(payloadOf);
      const seed = Buffer.from(first).readUInt32BE();
      fc.pre(seed < 2 ** 32 - 1);
      assert.deepEqual(a, { counter: seed, rest: restOf(first) });
      assert.deepEqual(b, { counter: seed + 1, rest: restOf(second) });
    }),
  );
});

test('an id carries its millisecond, however large', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 48 - 1 }), (now) => {
      assert.equal(millisecondOf(createUuidv7({ now: () => now })()), now);
    }),
  );
});

test('a fraction of a millisecond is no new millisecond', () => {
  const fills = [255, 0];
  const next = generator([7.2, 7.9], (size) => new Uint8Array(size).fill(fills.shift() ?? 0));
  const first = next();
  assert.ok(next() > first);
});

test('a counter that is used up borrows the next millisecond', () => {
  const next = createUuidv7({ now: () => 41 }, (size) => new Uint8Array(size).fill(255));
  assert.deepEqual([next(), next(), next()].map(millisecondOf), [41, 42, 42]);
});

test('ten thousand ids of the system clock are different and sorted', () => {
  const ids = Array.from({ length: 10_000 }, uuidv7);
  assert.equal(new Set(ids).size, ids.length);
  assert.deepEqual(ids.toSorted(), ids);
});

test('every id of ours is read back as it is, in either case', () => {
  const id = uuidv7();
  assert.equal(parseUuid(id), id);
  assert.equal(parseUuid(id.toUpperCase()), id);
});

for (const { why, raw } of [
  { why: 'nothing', raw: '' },
  { why: 'a version that does not exist', raw: '01890a5d-ac96-974b-bcce-b302099a8057' },
  { why: 'a variant of another standard', raw: '01890a5d-ac96-774b-ccce-b302099a8057' },
  { why: 'braces', raw: '{01890a5d-ac96-774b-bcce-b302099a8057}' },
  { why: 'a trailing line break', raw: '01890a5d-ac96-774b-bcce-b302099a8057\n' },
  { why: 'no hyphens', raw: '01890a5dac96774bbcceb302099a8057' },
]) {
  test(`${why} is not a UUID`, () => {
    assert.throws(
      () => parseUuid(raw),
      (error) => error instanceof StdError && error.code === 'INVALID_UUID',
    );
  });
}
