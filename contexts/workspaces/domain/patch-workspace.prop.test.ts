import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { aWorkspace } from '../testing/a-workspace.ts';
import { patchWorkspace, type WorkspacePatch } from './patch-workspace.ts';
import { workspaceFaults } from './workspace.ts';

const key = fc.constantFrom('a', 'b', 'example.com/c', 'constructor', 'toString');
const value = fc.constantFrom('', 'x', 'y');
const text = fc.constantFrom('Web', 'Shop');
const workspace = fc
  .record({ displayName: fc.option(text, { nil: undefined }), labels: fc.dictionary(key, value) })
  .map((its) => aWorkspace(its));
const patch: fc.Arbitrary<WorkspacePatch> = fc.record(
  { displayName: fc.option(text), labels: fc.option(fc.dictionary(key, fc.option(value))) },
  { requiredKeys: [] },
);

type Patched = string | null | { [key: string]: Patched | undefined } | undefined;

/** RFC 7396, section 2, literally. */
function mergePatch(target: Patched, change: Patched): Patched {
  if (typeof change !== 'object' || change === null) return change;
  const merged: { [key: string]: Patched | undefined } =
    typeof target === 'object' && target !== null ? { ...target } : {};
  for (const [name, item] of Object.entries(change)) {
    if (item === null) delete merged[name];
    else merged[name] = mergePatch(merged[name], item);
  }
  return merged;
}

const documentOf = ({ displayName, labels }: { displayName: string | undefined; labels: object }): Patched => ({
  ...(displayName === undefined ? {} : { displayName }),
  labels: { ...labels },
});

test('a patch does what RFC 7396 says, but that no labels are an empty set', () => {
  fc.assert(
    fc.property(workspace, patch, (before, change) => {
      const want = { labels: {}, ...(mergePatch(documentOf(before), change as Patched) as object) };
      assert.deepEqual(documentOf(patchWorkspace(before, change, 2_000)), want);
    }),
  );
});

test('a patch twice is the same as once, and changes the workspace once', () => {
  fc.assert(
    fc.property(workspace, patch, (before, change) => {
      const once = patchWorkspace(before, change, 2_000);
      assert.equal(patchWorkspace(once, change, 3_000), once);
      assert.ok(once === before || once.version === before.version + 1);
    }),
  );
});

test('what a patch leaves is a workspace, of the same identity', () => {
  fc.assert(
    fc.property(workspace, patch, fc.integer({ min: 0, max: 10_000 }), (before, change, now) => {
      const after = patchWorkspace(before, change, now);
      assert.deepEqual(workspaceFaults(after), []);
      const { displayName, labels, generation, version, updateTime } = before;
      assert.deepEqual({ ...after, displayName, labels, generation, version, updateTime }, before);
    }),
  );
});
