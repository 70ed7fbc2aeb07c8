import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decodeAccessAnswer, decodeAccessRequest, encodeAccessAnswer, encodeAccessRequest } from './access-codec.ts';

const text = fc.string({ unit: 'grapheme', maxLength: 20 });
const uint32 = fc.nat({ max: 2 ** 31 });
const PLAIN = { noNullPrototype: true } as const;
const question = fc.oneof(
  fc.record({ kind: fc.constant('identity' as const), token: text }, PLAIN),
  fc.record({ kind: fc.constant('permissions' as const), token: text, permission: text }, PLAIN),
);
const facts = fc.oneof(
  fc.record({ kind: fc.constant('identity' as const), subject: text, groups: fc.array(text), issuer: text }, PLAIN),
  fc.record({ kind: fc.constant('permissions' as const), workspaces: fc.array(text) }, PLAIN),
  fc.record({ kind: fc.constant('fault' as const), code: text, message: text }, PLAIN),
);

test('what is asked is what arrives', () => {
  fc.assert(
    fc.property(fc.nat(), question, (request, asked) => {
      assert.deepEqual(decodeAccessRequest(encodeAccessRequest({ request, question: asked })), {
        request,
        question: asked,
      });
    }),
  );
});

test('what is answered is what arrives', () => {
  fc.assert(
    fc.property(fc.nat(), facts, uint32, uint32, (request, said, maxAgeMs, staleMs) => {
      const answer = { request, facts: said, maxAgeMs, staleMs };
      assert.deepEqual(decodeAccessAnswer(encodeAccessAnswer(answer)), answer);
    }),
  );
});

test('what is none, or of a later release, is nothing', () => {
  for (const payload of [new Uint8Array(0), Buffer.from('no message'), new Uint8Array([0x08, 0x05])]) {
    assert.equal(decodeAccessRequest(payload), undefined);
    assert.equal(decodeAccessAnswer(payload), undefined);
  }
});
