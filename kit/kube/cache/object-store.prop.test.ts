import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ObjectStore } from './object-store.ts';
import { type ConfigMap, configMap } from './testing/memory-kube.ts';

const place = fc.record({ namespace: fc.constantFrom('x', 'y'), name: fc.constantFrom('a', 'b', 'c') });
const colours = fc.uniqueArray(fc.constantFrom('red', 'green', 'blue'));
const object = fc.record({ place, colours, uid: fc.constantFrom('1', '2'), version: fc.nat(3) });
const step = fc.oneof(
  fc.record({ set: object }),
  fc.record({ remove: object }),
  fc.record({ replace: fc.uniqueArray(object, { selector: ({ place: { namespace, name } }) => namespace + name }) }),
);

function made({
  place: { namespace, name },
  colours: of,
  uid,
  version,
}: typeof object extends fc.Arbitrary<infer O> ? O : never): ConfigMap {
  const { metadata, ...rest } = configMap(name, { colours: of.join(',') });
  return { ...rest, metadata: { ...metadata, namespace, uid, resourceVersion: String(version) } };
}

const coloursOf = ({ data }: ConfigMap): string[] => data?.['colours']?.split(',').filter(Boolean) ?? [];
const keyOf = ({ metadata }: ConfigMap): string => `${metadata.namespace}/${metadata.name}`;

test('whatever is set, removed and replaced: lists and indexes say the same, and changes lead from one state to the next', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.nat(60), (steps, indexedAt) => {
      const store = new ObjectStore<ConfigMap>();
      const model = new Map<string, ConfigMap>();
      const followed = new Map<string, ConfigMap>();
      steps.forEach((it, number) => {
        if (number === indexedAt) store.index(coloursOf);
        const changes = [];
        if ('set' in it) {
          const next = made(it.set);
          model.set(keyOf(next), next);
          changes.push(...store.set(next));
        } else if ('remove' in it) {
          const gone = made(it.remove);
          model.delete(keyOf(gone));
          changes.push(...store.remove(gone));
        } else {
          model.clear();
          for (const next of it.replace.map(made)) model.set(keyOf(next), next);
          changes.push(...store.replace([...model.values()]));
        }
        for (const { old, now } of changes) {
          if (old) assert.ok(followed.delete(keyOf(old)), 'something went that was not there');
          if (now) followed.set(keyOf(now), now);
        }
        assert.deepEqual([...followed.keys()].toSorted(), [...model.keys()].toSorted());
        check(store, model);
      });
    }),
  );
});

function check(store: ObjectStore<ConfigMap>, model: ReadonlyMap<string, ConfigMap>): void {
  const keys = (objects: Iterable<ConfigMap>): string[] => [...objects].map(keyOf).toSorted();
  const all = [...model.values()];
  assert.equal(store.size, model.size);
  assert.deepEqual(keys(store.list()), keys(all));
  for (const namespace of ['x', 'y']) {
    assert.deepEqual(keys(store.list(namespace)), keys(all.filter(({ metadata }) => metadata.namespace === namespace)));
  }
  const index = store.index(coloursOf);
  for (const colour of ['red', 'green', 'blue']) {
    assert.deepEqual(keys(index.get(colour)), keys(all.filter((it) => coloursOf(it).includes(colour))));
  }
  assert.deepEqual([...index.values()].toSorted(), [...new Set(all.flatMap(coloursOf))].toSorted());
}
