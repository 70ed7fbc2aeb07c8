import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { HttpError } from '../errors/http-error.ts';
import { PageTokens } from './page-token.ts';

const list = { operationId: 'listThings', params: {}, identity: { filter: 'name == "a"' } };
const tokens = new PageTokens(list, ['string', 'number']);
const key = fc.tuple(fc.string({ maxLength: 200 }), fc.double({ noNaN: true, noDefaultInfinity: true }));
const refused = (decode: () => unknown): void => {
  assert.throws(decode, (error) => error instanceof HttpError && error.code === 'INVALID_PAGE_TOKEN');
};

describe('page tokens', () => {
  it('come back as the key that went in', () => {
    fc.assert(
      fc.property(key, ([text, number]) => {
        const plain = number === 0 ? 0 : number;
        assert.deepEqual(tokens.decode(tokens.encode([text, plain])), [text, plain]);
      }),
    );
  });

  it('are refused when any character of theirs is another, or is gone', () => {
    fc.assert(
      fc.property(
        key,
        fc.nat(),
        fc.constantFrom('A', 'z', '0', '-', '_', '=', ' ', ''),
        ([text, number], at, other) => {
          const token = tokens.encode([text, number === 0 ? 0 : number]);
          const place = at % token.length;
          fc.pre(token[place] !== other);
          refused(() => tokens.decode(token.slice(0, place) + other + token.slice(place + 1)));
        },
      ),
    );
  });

  it('are refused by another list, also one with another filter', () => {
    const token = tokens.encode(['a', 1]);
    for (const other of [
      { ...list, operationId: 'listOthers' },
      { ...list, params: { name: 'x' } },
      { ...list, identity: { filter: 'name == "b"' } },
      { ...list, identity: {} },
    ]) {
      refused(() => new PageTokens(other, ['string', 'number']).decode(token));
    }
  });

  it('do not depend on the order in which parameters were written', () => {
    const one = new PageTokens({ identity: { a: '1', b: '2' } }, ['string']);
    const two = new PageTokens({ identity: { b: '2', a: '1' } }, ['string']);
    assert.deepEqual(two.decode(one.encode(['x'])), ['x']);
  });

  it('are refused with a key of another shape', () => {
    const loose = new PageTokens(list, ['string']);
    refused(() => tokens.decode(loose.encode(['a'])));
    refused(() => new PageTokens(list, ['number', 'string']).decode(tokens.encode(['a', 1])));
  });

  it('can be any text without breaking anything', () => {
    fc.assert(fc.property(fc.string(), (text) => refused(() => tokens.decode(text))));
    const anyJson = fc.json().map((json) => Buffer.from(json).toString('base64url'));
    fc.assert(fc.property(anyJson, (token) => refused(() => tokens.decode(token))));
    refused(() => tokens.decode('A'.repeat(100_000)));
  });
});
