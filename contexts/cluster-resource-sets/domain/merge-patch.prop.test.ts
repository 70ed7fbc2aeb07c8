import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { applyMergePatch, isJsonObject, type Json, type JsonObject } from '#kit/std';
import { patchOf, replacement } from './merge-patch.ts';

const key = fc.constantFrom('a', 'b', 'metadata', 'labels', '__proto__', 'constructor');
const object = objectOf(1, 'x', true);
const objectWithNulls = objectOf(1, 'x', true, null);

describe('the merge patch from what there is to the manifest', () => {
  it('makes the one of the other', () => {
    fc.assert(
      fc.property(object, object, (live, manifest) => {
        const from = { ...live, metadata: metadataOf(live) };
        const to = { ...manifest, metadata: metadataOf(manifest) };
        const patch = patchOf(from, to);
        assert.deepEqual(patch === undefined ? from : applyMergePatch(from, patch), to);
      }),
    );
  });

  it('comes to the manifest as it replaces the object, nulls left out', () => {
    fc.assert(
      fc.property(object, objectWithNulls, (live, manifest) => {
        const from = { ...live, metadata: { ...metadataOf(live), resourceVersion: '5' } };
        const to = { ...manifest, metadata: { ...metadataOf(manifest), resourceVersion: '1' } };
        const patch = patchOf(from, to);
        assert.deepEqual(patch === undefined ? from : applyMergePatch(from, patch), replacement(to, '5'));
      }),
    );
  });

  it('says nothing when there is nothing to say', () => {
    fc.assert(
      fc.property(object, (manifest) => {
        const to = { ...manifest, metadata: metadataOf(manifest) };
        const live = { ...to, metadata: { ...to.metadata, uid: 'u', resourceVersion: '5', managedFields: [{}] } };
        assert.equal(patchOf(live, to), undefined);
        assert.equal(patchOf(live, { ...to, metadata: { ...to.metadata, resourceVersion: '1' } }), undefined);
      }),
    );
  });

  it('says nothing of a null for what is not there', () => {
    const live = { metadata: { name: 'x' }, spec: { a: 1 } };
    assert.equal(patchOf(live, { metadata: { name: 'x', labels: null }, spec: { a: 1, b: null } }), undefined);
  });

  it('removes what the manifest does not mention, and what it says is null', () => {
    const live = { metadata: { name: 'x', labels: { theirs: 'yes' } }, data: { a: '1', b: '2' }, status: {} };
    const patch = patchOf(live, { metadata: { name: 'x' }, data: { a: '1', b: null } });
    assert.deepEqual(patch, { metadata: { labels: null }, data: { b: null }, status: null });
  });
});

function objectOf(...scalars: readonly Json[]): fc.Arbitrary<JsonObject> {
  const { whole } = fc.letrec<{ value: Json; whole: JsonObject }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom<Json>(...scalars),
      fc.array(fc.constantFrom<Json>(1, 'x'), { maxLength: 2 }),
      tie('whole'),
    ),
    whole: fc.array(fc.tuple(key, tie('value')), { maxLength: 4 }).map((pairs) => Object.fromEntries(pairs)),
  }));
  return whole;
}

function metadataOf({ metadata }: JsonObject): JsonObject {
  return isJsonObject(metadata) ? metadata : {};
}
