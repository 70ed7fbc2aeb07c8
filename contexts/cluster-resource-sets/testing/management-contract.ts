import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Bindings, FoundResource, ResourceSets, Resources } from '../application/ports.ts';
import { type BindingContent, ownerFor } from '../domain/binding.ts';
import { isCrsError } from '../domain/crs-error.ts';
import type { ResourceSet } from '../domain/resource-set.ts';

/** A management cluster with a set `web`, a ConfigMap `cm` with content and one `empty` without, all in `fleet`. */
export interface ManagementUnderTest {
  readonly sets: ResourceSets;
  readonly bindings: Bindings;
  readonly resources: Resources;
  /** Simulates a change by another client. */
  touchSet(): Promise<void>;
  touchBinding(name: string): Promise<void>;
}

const KEY = { namespace: 'fleet', name: 'a' };
const REF = { kind: 'ConfigMap', name: 'cm' };
const STATUS = {
  observedGeneration: 1,
  conditions: [
    { type: 'Paused', status: 'False', reason: 'NotPaused', message: '', lastTransitionTime: '2030-01-01T00:00:00Z' },
  ],
  legacyConditions: [{ type: 'ResourcesApplied', status: 'True', lastTransitionTime: '2030-01-01T00:00:00Z' }],
} as const;

/** The contract of the management cluster's ports. */
export function managementContract(name: string, open: (t: TestContext) => Promise<ManagementUnderTest>): void {
  const { signal } = new AbortController();
  const isConflict = (error: unknown): boolean => isCrsError(error, 'CONFLICT');

  function theSet({ sets }: ManagementUnderTest): ResourceSet {
    return sets.get({ namespace: 'fleet', name: 'web' }) ?? assert.fail('there is no set');
  }

  async function found({ resources }: ManagementUnderTest, ref = REF): Promise<FoundResource> {
    const reading = await resources.read('fleet', ref, signal);
    return reading.kind === 'found' ? reading.resource : assert.fail(reading.kind);
  }

  function content(it: ManagementUnderTest, resources: BindingContent['entries'][0]['resources'] = []): BindingContent {
    return { clusterName: 'a', owners: [ownerFor(theSet(it))], entries: [{ setName: 'web', resources }] };
  }

  function shown({ bindings }: ManagementUnderTest): BindingContent | undefined {
    const binding = bindings.get(KEY);
    return binding && { clusterName: binding.clusterName, owners: binding.owners, entries: binding.entries };
  }

  describe(`the management cluster: ${name}`, () => {
    it('shows of a set what was written to it, at once', async (t) => {
      const it = await open(t);
      await it.sets.setFinalizers(theSet(it), ['one', 'two'], signal);
      assert.deepEqual(theSet(it).finalizers, ['one', 'two']);
      await it.sets.writeStatus(theSet(it), STATUS, signal);
      assert.deepEqual(theSet(it).status, STATUS);
      assert.deepEqual(it.sets.inNamespace('fleet'), [theSet(it)]);
      await it.sets.setFinalizers(theSet(it), [], signal);
      assert.deepEqual(theSet(it).finalizers, []);
      await it.sets.writeStatus(theSet(it), { ...STATUS, legacyConditions: [] }, signal);
      assert.deepEqual(theSet(it).status.legacyConditions, []);
    });

    it('does not write over what it has not read', async (t) => {
      const it = await open(t);
      const before = theSet(it);
      await it.touchSet();
      await assert.rejects(it.sets.setFinalizers(before, ['x'], signal), isConflict);
      await assert.rejects(it.sets.writeStatus(before, STATUS, signal), isConflict);
    });

    it('shows a binding as it was written, at once', async (t) => {
      const it = await open(t);
      assert.equal(it.bindings.get(KEY), undefined);
      await it.bindings.create(KEY, content(it), signal);
      assert.deepEqual(shown(it), content(it));
      assert.equal(it.bindings.inNamespace('fleet').length, 1);
      const entry = { ...REF, applied: true, hash: 'sha256:x', lastAppliedTime: '2030-01-01T00:00:00Z' };
      const binding = it.bindings.get(KEY) ?? assert.fail();
      await it.bindings.update(binding, content(it, [entry, { ...entry, name: 'b', applied: false }]), signal);
      assert.deepEqual(shown(it), content(it, [entry, { ...entry, name: 'b', applied: false }]));
      await it.bindings.delete(it.bindings.get(KEY) ?? assert.fail(), signal);
      assert.deepEqual([it.bindings.get(KEY), it.bindings.inNamespace('fleet')], [undefined, []]);
    });

    it('knows a binding that is there, another or gone', async (t) => {
      const it = await open(t);
      await it.bindings.create(KEY, content(it), signal);
      await assert.rejects(it.bindings.create(KEY, content(it), signal), isConflict);
      const before = it.bindings.get(KEY) ?? assert.fail();
      await it.touchBinding('a');
      await assert.rejects(it.bindings.update(before, content(it), signal), isConflict);
      await assert.rejects(it.bindings.delete(before, signal), isConflict);
      const now = (await it.bindings.reread(KEY, signal)) ?? assert.fail();
      assert.notEqual(now.resourceVersion, before.resourceVersion);
      await it.bindings.update(now, { ...content(it), entries: [] }, signal);
      const last = it.bindings.get(KEY) ?? assert.fail();
      await it.bindings.delete(last, signal);
      await it.bindings.delete(last, signal);
      assert.equal(await it.bindings.reread(KEY, signal), undefined);
    });

    it('reads resources, and what they say', async (t) => {
      const it = await open(t);
      assert.deepEqual(await it.resources.read('fleet', { kind: 'ConfigMap', name: 'none' }, signal), {
        kind: 'missing',
      });
      assert.equal((await found(it, { kind: 'ConfigMap', name: 'empty' })).hash, undefined);
      const resource = await found(it);
      const read = await it.resources.content(resource, signal);
      assert.equal(read.hash, resource.hash);
      assert.deepEqual(read.manifest.kind === 'objects' && read.manifest.objects.map(({ kind }) => kind), [
        'ConfigMap',
      ]);
    });

    it('sets the owners of a resource as it was read', async (t) => {
      const it = await open(t);
      const before = await found(it);
      const owner = ownerFor(theSet(it));
      await it.resources.setOwners(before, [owner], signal);
      const after = await found(it);
      assert.deepEqual([after.owners, after.hash], [[owner], before.hash]);
      await assert.rejects(it.resources.setOwners(before, [], signal), isConflict);
      await it.resources.setOwners(after, [], signal);
      assert.deepEqual((await found(it)).owners, []);
    });
  });
}
