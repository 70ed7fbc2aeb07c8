import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Json, JsonObject } from './canonical-json.ts';
import { applyMergePatch, isJsonObject, mergePatch, sameJson } from './json-value.ts';

const { value: json } = fc.letrec((tie) => ({
  leaf: fc.oneof(fc.constant(null), fc.boolean(), fc.integer(), fc.string({ maxLength: 2 })),
  value: fc.oneof(
    { maxDepth: 3 },
    tie('leaf'),
    fc.array(tie('leaf'), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), tie('value'), { maxKeys: 3 }),
  ),
}));

const object = json.map((value) => (isJsonObject(value) ? value : ({ a: value } as JsonObject)));

test('a merge patch turns the one object into the other, and there is none if they are equal', () => {
  fc.assert(
    fc.property(object, object, (current, wanted) => {
      const patch = mergePatch(current, wanted);
      const became = patch === undefined ? current : applied(current, patch);
      assert.ok(sameJson(bare(became), bare(wanted)), JSON.stringify({ patch, became }));
      assert.equal(mergePatch(bare(wanted) as JsonObject, wanted), undefined);
    }),
  );
});

/** The algorithm of RFC 7396, section 2. */
function applied(target: unknown, patch: unknown): unknown {
  if (!isJsonObject(patch)) return patch;
  const members = new Map(Object.entries(isJsonObject(target) ? target : {}));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) members.delete(name);
    else members.set(name, applied(members.get(name), value) as Json);
  }
  return Object.fromEntries(members);
}

/** A merge patch cannot express null inside an object. */
function bare(value: unknown): unknown {
  if (!isJsonObject(value)) return value ?? null;
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(members.map(([name, member]) => [name, bare(member)]));
}

test('a merge patch is applied as RFC 7396 says', () => {
  fc.assert(
    fc.property(object, object, (target, patch) =>
      assert.deepEqual(applyMergePatch(target, patch), applied(target, patch)),
    ),
  );
});

test('a merge patch removes a stored null that is not wanted', () => {
  assert.deepEqual(mergePatch({ a: null, b: { c: null } }, { a: null, b: {} }), { a: null, b: { c: null } });
});
