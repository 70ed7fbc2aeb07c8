import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isObject, mergePatch, sameJson } from './merge-patch.ts';

const { value: json } = fc.letrec((tie) => ({
  leaf: fc.oneof(fc.constant(null), fc.boolean(), fc.integer(), fc.string({ maxLength: 2 })),
  value: fc.oneof(
    { maxDepth: 3 },
    tie('leaf'),
    fc.array(tie('leaf'), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), tie('value'), { maxKeys: 3 }),
  ),
}));

test('the patch makes the one into the other, and is nothing when there is nothing to make', () => {
  fc.assert(
    fc.property(json, json, (current, wanted) => {
      const patch = mergePatch(current, wanted);
      const became = patch === undefined ? current : applied(current, patch);
      assert.ok(sameJson(bare(became), bare(wanted)), JSON.stringify({ patch, became }));
      assert.equal(mergePatch(wanted, wanted), undefined);
    }),
  );
});

/** The algorithm of RFC 7396, section 2. */
function applied(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const members = new Map(Object.entries(isObject(target) ? target : {}));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) members.delete(name);
    else members.set(name, applied(members.get(name), value));
  }
  return Object.fromEntries(members);
}

/** A merge patch cannot express null inside an object. */
function bare(value: unknown): unknown {
  if (!isObject(value)) return value ?? null;
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(members.map(([name, member]) => [name, bare(member)]));
}
