import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LIMITS } from './limits.ts';
import { checkedId, checkedName, decodePayload, encodePayload } from './payload.ts';

describe('payloads', () => {
  for (const { why, character, bytes } of [
    { why: 'one byte', character: 'a', bytes: 1 },
    { why: 'two bytes', character: 'é', bytes: 2 },
    { why: 'three bytes', character: '漢', bytes: 3 },
    { why: 'four bytes', character: '𝄞', bytes: 4 },
  ]) {
    it(`are measured in bytes, for characters of ${why}`, () => {
      const room = LIMITS.payloadBytes - 2;
      const fits = character.repeat(Math.floor(room / bytes));
      assert.equal(decodePayload(encodePayload(fits, 'x')), fits);
      assert.throws(() => encodePayload(`${fits}${'a'.repeat(bytes)}`, 'x'), { code: 'PAYLOAD_TOO_LARGE' });
    });
  }

  it('are JSON, or nothing at all', () => {
    assert.equal(encodePayload(undefined, 'x'), undefined);
    assert.equal(decodePayload(null), undefined);
    const circle: unknown[] = [];
    circle.push(circle);
    for (const value of [circle, 1n, () => 1, Symbol('s')]) {
      assert.throws(() => encodePayload(value, 'x'), { code: 'PAYLOAD_NOT_JSON' });
    }
  });
});

describe('names and ids', () => {
  it('refuse what cannot be shown or addressed', () => {
    assert.equal(checkedName('roll out: web/1', 'x'), 'roll out: web/1');
    for (const name of ['', 'a\nb', 'a\0b', 'a'.repeat(LIMITS.nameLength + 1)]) {
      assert.throws(() => checkedName(name, 'x'), { code: 'PAYLOAD_NOT_JSON' });
    }
    assert.equal(checkedId('roll-out.web_1~2'), 'roll-out.web_1~2');
    for (const id of ['', '.', '..', 'a/b', 'a:b', 'a b', 'ü', 'a'.repeat(LIMITS.nameLength + 1)]) {
      assert.throws(() => checkedId(id), { code: 'PAYLOAD_NOT_JSON' });
    }
  });
});
