import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { aSet } from '../testing/a-set.ts';
import {
  type BindingContent,
  type EntryChange,
  entryOf,
  holds,
  type Owner,
  ownerFor,
  recordChanges,
  withClusterNamed,
} from './binding.ts';

const SETS = ['one', 'two', 'three'];
const setName = fc.constantFrom(...SETS);
const resource = fc.record({
  kind: fc.constantFrom('ConfigMap', 'Secret'),
  name: fc.constantFrom('x', 'y'),
  applied: fc.boolean(),
  hash: fc.constantFrom('h1', 'h2'),
});
const resources = fc.uniqueArray(resource, { selector: ({ kind, name }) => `${kind}/${name}` });
const change: fc.Arbitrary<EntryChange> = fc.oneof(
  fc.record({ kind: fc.constant('bound' as const), owner: setName.map((name) => ownerFor(aSet({ name }))), resources }),
  fc.record({ kind: fc.constant('left' as const), setName }),
);
const theirs: Owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'one', uid: 'x' };
const content: fc.Arbitrary<BindingContent> = fc
  .array(change)
  .map((all) =>
    recordChanges({ clusterName: 'a', owners: [theirs], entries: [{ setName: 'stranger', resources: [] }] }, all),
  );

function nameOf(each: EntryChange): string {
  return each.kind === 'left' ? each.setName : each.owner.name;
}

describe('a binding', () => {
  it('is the very same when nothing is new', () => {
    fc.assert(
      fc.property(content, change, (before, each) => {
        const once = recordChanges(before, [each]);
        const again = each.kind === 'bound' ? { ...each, resources: [] } : each;
        assert.equal(recordChanges(once, [again]), once);
      }),
    );
  });

  it('has one entry and one owner for each set that is bound, and no trace of one that left', () => {
    fc.assert(
      fc.property(content, fc.array(change, { minLength: 1 }), (before, changes) => {
        const after = recordChanges(before, changes);
        for (const name of new Set(changes.map(nameOf))) {
          const isBound = changes.findLast((each) => nameOf(each) === name)?.kind === 'bound';
          assert.equal(holds(after, name), isBound);
          assert.equal(after.entries.filter((entry) => entry.setName === name).length, isBound ? 1 : 0);
          assert.equal(after.owners.filter((owner) => owner.name === name && owner !== theirs).length, isBound ? 1 : 0);
        }
      }),
    );
  });

  it('keeps what is of others, as it is', () => {
    fc.assert(
      fc.property(content, fc.array(change), (before, changes) => {
        const after = recordChanges(before, changes);
        const touched = new Set(changes.map(nameOf));
        for (const entry of before.entries) if (!touched.has(entry.setName)) assert.ok(after.entries.includes(entry));
        assert.ok(after.owners.includes(theirs));
      }),
    );
  });

  it('has the last word on each resource, and keeps those of which nothing is said', () => {
    fc.assert(
      fc.property(content, setName, resources, (before, name, news) => {
        const after = recordChanges(before, [{ kind: 'bound', owner: ownerFor(aSet({ name })), resources: news }]);
        const entry = entryOf(after, name);
        const expected = new Map(
          (entryOf(before, name)?.resources ?? []).map((each) => [`${each.kind}/${each.name}`, each]),
        );
        for (const each of news) expected.set(`${each.kind}/${each.name}`, each);
        assert.deepEqual(new Map(entry?.resources.map((each) => [`${each.kind}/${each.name}`, each])), expected);
      }),
    );
  });

  it('takes neither another kind of the group nor the kind of another group for a set', () => {
    const owner = ownerFor(aSet());
    const others: readonly Owner[] = [
      { ...owner, kind: 'Other' },
      { ...owner, apiVersion: 'addons.example.org/v1' },
    ];
    const before: BindingContent = { clusterName: 'a', owners: others, entries: [] };
    assert.equal(holds(before, 'web'), false);
    const bound = recordChanges(before, [{ kind: 'bound', owner, resources: [] }]);
    assert.deepEqual(bound.owners, [...others, owner]);
    assert.deepEqual(recordChanges(bound, [{ kind: 'left', setName: 'web' }]).owners, others);
  });

  it('knows a set that was made anew by its new uid', () => {
    const owner = ownerFor(aSet());
    const before = recordChanges({ clusterName: 'a', owners: [], entries: [] }, [
      { kind: 'bound', owner, resources: [] },
    ]);
    const after = recordChanges(before, [{ kind: 'bound', owner: { ...owner, uid: 'new' }, resources: [] }]);
    assert.deepEqual(after.owners, [{ ...owner, uid: 'new' }]);
  });

  it('of long ago names its cluster where it belongs', () => {
    const cluster: Owner = { apiVersion: 'cluster.x-k8s.io/v1beta1', kind: 'Cluster', name: 'a', uid: 'x' };
    const old: BindingContent = { clusterName: '', owners: [theirs, cluster], entries: [] };
    const named = withClusterNamed(old);
    assert.deepEqual(named, { clusterName: 'a', owners: [theirs], entries: [] });
    assert.equal(withClusterNamed(named), named);
  });
});
