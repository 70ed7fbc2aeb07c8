import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Json } from '#kit/std';
import { mergeProperties, type Properties } from './properties.ts';

const PLAIN = { noNullPrototype: true };
const key = fc.constantFrom('a', 'b', 'constructor', '__proto__');
const { json } = fc.letrec<{ json: Json; object: Properties }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(null, 1, 'x', true),
    fc.array(tie('json'), { maxLength: 2 }),
    tie('object'),
  ),
  object: fc.dictionary(key, tie('json'), { ...PLAIN, maxKeys: 3 }),
}));
const object = fc.dictionary(key, json, { ...PLAIN, maxKeys: 3 });

/** RFC 7396, section 2, literally, on entries so that no key is special. */
function mergePatch(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const merged = new Map<string, unknown>(
    typeof target === 'object' && target !== null && !Array.isArray(target) ? Object.entries(target) : [],
  );
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, mergePatch(merged.get(name), value));
  }
  return Object.fromEntries(merged);
}

test('a patch of properties does what RFC 7396 says', () => {
  fc.assert(
    fc.property(object, object, (before, patch) => {
      assert.deepEqual(mergeProperties(before, patch), mergePatch(before, patch));
      assert.deepEqual(mergeProperties(before, undefined), before);
      assert.deepEqual(mergeProperties(before, null), {});
    }),
  );
});

test('a patch twice is the same as once', () => {
  fc.assert(
    fc.property(object, object, (before, patch) => {
      const once = mergeProperties(before, patch);
      assert.deepEqual(mergeProperties(once, patch), once);
    }),
  );
});
