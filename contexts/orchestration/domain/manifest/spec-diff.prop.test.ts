import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Json, JsonObject } from '#kit/std';
import { canonicalJson } from '#kit/std';
import type { Document } from '#protocol/delivery';
import { testSeed } from '#testing/seeded';
import { identityOf, identityText } from './document-identity.ts';
import { isList, isObject } from './json.ts';
import { diffPayloads, diffSpecs } from './payload-diff.ts';

const RUNS = { numRuns: 300, seed: testSeed() };

const named = <T>(names: readonly string[], rest: fc.Arbitrary<T>) =>
  fc.uniqueArray(fc.tuple(fc.constantFrom(...names), rest), { selector: ([name]) => name, maxLength: names.length });
const env = named(['A', 'B', 'C'], fc.constantFrom('1', '2')).map((all) =>
  all.map(([name, value]) => ({ name, value })),
);
const ports = fc
  .uniqueArray(fc.constantFrom(80, 443, 53), { maxLength: 3 })
  .chain((numbers) =>
    fc.tuple(
      ...numbers.map((containerPort) =>
        fc.constantFrom<JsonObject>(
          { containerPort },
          { containerPort, protocol: 'UDP' },
          { containerPort, name: 'p' },
        ),
      ),
    ),
  );
const containers = named(['web', 'proxy', 'log'], fc.record({ image: fc.constantFrom('a', 'b'), env, ports })).map(
  (all) => all.map(([name, rest]): JsonObject => ({ name, ...rest })),
);
const workload = fc.record({
  kind: fc.constantFrom('Deployment', 'StatefulSet'),
  group: fc.constantFrom('apps/v1', 'apps/v1beta1', 'example.org/v1'),
  name: fc.constantFrom('a', 'b', 'c'),
  namespace: fc.constantFrom(undefined, 'shop'),
  containers,
  args: fc.array(fc.constantFrom('x', 'y'), { maxLength: 3 }),
});
const documents = fc.uniqueArray(
  workload.map(
    ({ kind, group, name, namespace, containers: its, args }): Document => ({
      apiVersion: group,
      kind,
      metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
      spec: { template: { spec: { containers: its, args } } },
    }),
  ),
  { selector: labelOf, maxLength: 6 },
);

function labelOf(document: Document): string {
  const identity = identityOf(document);
  assert.ok(identity !== undefined);
  return identityText(identity);
}

const KEYED = ['containers', 'env', 'ports'];

/** The same with every list that has a merge key in another order. */
function shuffled(value: Json, order: () => number, field = ''): Json {
  if (isList(value)) {
    const items = value.map((item) => shuffled(item, order));
    return KEYED.includes(field)
      ? items
          .map((item) => [order(), item] as const)
          .toSorted(([a], [b]) => a - b)
          .map(([, item]) => item)
      : items;
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shuffled(item, order, key)]));
}

const orders = fc.infiniteStream(fc.integer({ min: 0, max: 1000 }));
const specOf = (all: readonly Json[]): JsonObject => ({ manifest: { type: 'inline', documents: all }, placement: [] });

test('permuted documents, and permuted lists with a merge key, are no difference', () => {
  fc.assert(
    fc.property(
      documents.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }), orders)),
      ([before, moved, stream]) => {
        const after = moved.map((document) => shuffled(document, () => stream.next().value)) as Document[];
        assert.deepEqual(diffSpecs(specOf(before), specOf(after)), []);
        const payload = (all: Document[]) => ({ documents: all, secrets: {}, hash: '' });
        assert.deepEqual(diffPayloads(payload(before), payload(after)), []);
      },
    ),
    RUNS,
  );
});

test('every changed object is named, once, and no other; and each change is true of both sides', () => {
  fc.assert(
    fc.property(documents, documents, orders, (before, after, stream) => {
      const moved = after.map((document) => shuffled(document, () => stream.next().value)) as Document[];
      const [old, fresh] = [specOf(before), specOf(moved)];
      const changes = diffSpecs(old, fresh);
      const had = new Map(before.map((document) => [labelOf(document), document]));
      const has = new Map(after.map((document) => [labelOf(document), document]));
      const differing = [...new Set([...had.keys(), ...has.keys()])].filter((label) => {
        const [a, b] = [had.get(label), has.get(label)];
        return a === undefined || b === undefined || canonicalJson(sorted(a)) !== canonicalJson(sorted(b));
      });
      const labels = changes.map(({ document }) => document);
      const runs = labels.filter((label, index) => label !== labels[index - 1]);
      assert.equal(new Set(runs).size, runs.length);
      assert.deepEqual(new Set(runs), new Set(differing));
      for (const { kind, path, before: was, after: is } of changes) {
        if (kind === 'removed') assert.deepEqual(valueAt(old, path), was);
        else assert.deepEqual(valueAt(fresh, path), is);
      }
    }),
    RUNS,
  );
});

/** With the lists that have a merge key in the order of their items. A protocol of TCP is the default. */
function sorted(value: Json, field = ''): Json {
  if (isList(value)) {
    const items = value.map((item) => sorted(item));
    return KEYED.includes(field) ? items.toSorted((a, b) => (canonicalJson(a) < canonicalJson(b) ? -1 : 1)) : items;
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, sorted(item, key)]));
}

function valueAt(value: Json, path: string): Json | undefined {
  return path
    .split('/')
    .slice(1)
    .reduce<Json | undefined>((it, step) => {
      if (isList(it)) return it[Number(step)];
      return isObject(it) ? it[step.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined;
    }, value);
}
