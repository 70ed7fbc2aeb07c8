import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { diffJson, type PatchOperation } from './json-patch.ts';

/** The part of RFC 6902 that `diffJson` uses, implemented independently. */
function apply(document: unknown, operations: readonly PatchOperation[]): unknown {
  let root = structuredClone(document);
  for (const operation of operations) {
    const keys = operation.path
      .split('/')
      .slice(1)
      .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
    const last = keys.pop();
    if (last === undefined) {
      assert.equal(operation.op, 'replace');
      root = 'value' in operation ? operation.value : undefined;
      continue;
    }
    const parent = keys.reduce((value: unknown, key) => (value as Record<string, unknown>)[key], root) as Record<
      string,
      unknown
    >;
    const exists = Array.isArray(parent) ? Number(last) < parent.length : Object.hasOwn(parent, last);
    if (operation.op === 'add') {
      if (Array.isArray(parent)) parent.splice(Number(last), 0, operation.value);
      else define(parent, last, operation.value);
      continue;
    }
    assert.ok(exists, `${operation.op} of ${operation.path}, which is not there`);
    if (operation.op === 'replace') define(parent, last, operation.value);
    else if (Array.isArray(parent)) parent.splice(Number(last), 1);
    else delete parent[last];
  }
  return root;
}

/** Also works for a key named `__proto__`. */
function define(parent: object, key: string, value: unknown): void {
  Object.defineProperty(parent, key, { value, enumerable: true, configurable: true, writable: true });
}

/** Few keys and values, so that two documents have much in common; the keys include difficult ones. */
const leaf = fc.oneof(fc.constantFrom(null, true, 0, 1, '', 'a'), fc.integer());
const key = fc.constantFrom('a', 'b', 'a/b', '~', '~1', '', '0', '__proto__', 'constructor');
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc.array(tie('json'), { maxLength: 5 }),
    fc
      .array(fc.tuple(key, tie('json')), { maxLength: 4 })
      .map((entries) => JSON.parse(`{${entries.map(([k, v]) => `${JSON.stringify(k)}:${JSON.stringify(v)}`).join()}}`)),
  ),
}));

test('the steps make the one out of the other', () => {
  fc.assert(
    fc.property(json, json, (before, after) => {
      assert.equal(JSON.stringify(sorted(apply(before, diffJson(before, after)))), JSON.stringify(sorted(after)));
    }),
    { numRuns: 1000 },
  );
});

test('between equals there are none', () => {
  fc.assert(fc.property(json, (value) => assert.deepEqual(diffJson(value, structuredClone(value)), [])));
});

test('one item put into a list is one step, and so is one taken out', () => {
  fc.assert(
    fc.property(fc.array(json, { maxLength: 6 }), fc.nat(6), json, (list, place, item) => {
      const longer = list.toSpliced(place, 0, item);
      assert.equal(diffJson(list, longer).length, 1);
      assert.equal(diffJson(longer, list).length, 1);
    }),
  );
});

/** The order of keys has no meaning. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .map(([name, inner]) => [name, sorted(inner)])
    .toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1));
}
