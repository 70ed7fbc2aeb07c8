import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isJsonObject, type JsonObject, type JsonValue } from './json-value.ts';
import { mergePatch } from './merge-patch.ts';

const key = fc.constantFrom('a', 'b', 'metadata', 'labels', '__proto__', 'constructor');
const { value } = fc.letrec<{ value: JsonValue; object: JsonObject }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<JsonValue>(1, 'x', true),
    fc.array(fc.constantFrom<JsonValue>(1, 'x'), { maxLength: 2 }),
    tie('object'),
  ),
  object: fc.array(fc.tuple(key, tie('value')), { maxLength: 4 }).map((pairs) => Object.fromEntries(pairs)),
}));
const object = fc.array(fc.tuple(key, value), { maxLength: 4 }).map((pairs) => Object.fromEntries(pairs));

describe('the merge patch from what there is to the manifest', () => {
  it('makes the one of the other', () => {
    fc.assert(
      fc.property(object, object, (live, manifest) => {
        const from = { ...live, metadata: metadataOf(live) };
        const to = { ...manifest, metadata: metadataOf(manifest) };
        const patch = mergePatch(from, to);
        assert.deepEqual(patch === undefined ? from : patched(from, patch), to);
      }),
    );
  });

  it('says nothing when there is nothing to say', () => {
    fc.assert(
      fc.property(object, (manifest) => {
        const to = { ...manifest, metadata: metadataOf(manifest) };
        const live = { ...to, metadata: { ...to.metadata, uid: 'u', resourceVersion: '5', managedFields: [{}] } };
        assert.equal(mergePatch(live, to), undefined);
        assert.equal(mergePatch(live, { ...to, metadata: { ...to.metadata, resourceVersion: '1' } }), undefined);
      }),
    );
  });

  it('says nothing of a null for what is not there', () => {
    const live = { metadata: { name: 'x' }, spec: { a: 1 } };
    assert.equal(mergePatch(live, { metadata: { name: 'x', labels: null }, spec: { a: 1, b: null } }), undefined);
  });

  it('removes what the manifest does not mention, and what it says is null', () => {
    const live = { metadata: { name: 'x', labels: { theirs: 'yes' } }, data: { a: '1', b: '2' }, status: {} };
    const patch = mergePatch(live, { metadata: { name: 'x' }, data: { a: '1', b: null } });
    assert.deepEqual(patch, { metadata: { labels: null }, data: { b: null }, status: null });
  });
});

function metadataOf({ metadata }: JsonObject): JsonObject {
  return isJsonObject(metadata) ? metadata : {};
}

/** RFC 7396. */
function patched(from: JsonObject, patch: JsonObject): JsonObject {
  const next = new Map(Object.entries(from));
  for (const [name, change] of Object.entries(patch)) {
    const before = next.get(name);
    if (change === null) next.delete(name);
    else next.set(name, isJsonObject(change) ? patched(isJsonObject(before) ? before : {}, change) : change);
  }
  return Object.fromEntries(next);
}
