import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { ChildDeployment, DeploymentGroupSpec } from './deployment-group.ts';
import { type GroupDelta, groupDelta } from './group-delta.ts';

type Body = { readonly manifest?: number; readonly rollout?: number };

const child = (name: string, { manifest = 0, rollout = 0 }: Body = {}): ChildDeployment => ({
  name,
  manifest: { type: 'inline', documents: [{ manifest, own: name.startsWith('same') ? '' : (name.at(0) ?? '') }] },
  rollout: { type: 'rolling', rollout },
});
const group = (steps: readonly (readonly ChildDeployment[])[]): DeploymentGroupSpec => ({
  type: 'deploymentGroup',
  // The order of declaration differs from the order of the steps.
  deployments: steps.flat().toReversed(),
  sequence: steps.map((step) => ({ step: step.map(({ name }) => name) })),
});
const NOTHING: GroupDelta = { creates: [], patches: [], renames: [], deletes: [], unchanged: [], isReordered: false };

describe('a patch of a group', () => {
  const [a, b, c] = [child('a'), child('b'), child('c')];
  const before = group([[a], [b], [c]]);
  for (const { why, from, to, want } of [
    { why: 'nothing', from: before, to: group([[a], [b], [c]]), want: { unchanged: ['a', 'b', 'c'] } },
    { why: 'a new group is all new, in order', from: undefined, to: before, want: { creates: [a, b, c] } },
    { why: 'one that goes is deleted in reverse', from: before, to: undefined, want: { deletes: ['c', 'b', 'a'] } },
    { why: 'growing', from: group([[a], [c]]), to: before, want: { creates: [b], unchanged: ['a', 'c'] } },
    { why: 'shrinking', from: before, to: group([[b]]), want: { deletes: ['c', 'a'], unchanged: ['b'] } },
    {
      why: 'only the fields that differ are patched, in the order of steps',
      from: before,
      to: group([[child('a', { rollout: 1 })], [b], [child('c', { manifest: 1, rollout: 1 })]]),
      want: {
        patches: [
          { child: child('a', { rollout: 1 }), fields: ['rollout'] },
          { child: child('c', { manifest: 1, rollout: 1 }), fields: ['manifest', 'rollout'] },
        ],
        unchanged: ['b'],
      },
    },
    {
      why: 'another order',
      from: before,
      to: group([[b], [a], [c]]),
      want: { unchanged: ['b', 'a', 'c'], isReordered: true },
    },
    {
      why: 'together what was apart',
      from: before,
      to: group([[a, b], [c]]),
      want: { unchanged: ['a', 'b', 'c'], isReordered: true },
    },
    {
      why: 'within a step there is no order',
      from: group([[a, b]]),
      to: group([[b, a]]),
      want: { unchanged: ['b', 'a'] },
    },
    {
      why: 'another name alone is a rename, and keeps its step',
      from: before,
      to: group([[{ ...a, name: 'z' }], [b], [c]]),
      want: { renames: [{ from: 'a', to: 'z' }], unchanged: ['b', 'c'] },
    },
    {
      why: 'another name and something else is another deployment',
      from: before,
      to: group([[child('z', { manifest: 1 })], [b], [c]]),
      want: { creates: [child('z', { manifest: 1 })], deletes: ['a'], unchanged: ['b', 'c'] },
    },
    {
      why: 'of those that are alike the first becomes the first',
      from: group([[child('same-1')], [child('same-2')]]),
      to: group([[child('same-3')], [child('same-4')]]),
      want: {
        renames: [
          { from: 'same-1', to: 'same-3' },
          { from: 'same-2', to: 'same-4' },
        ],
      },
    },
  ] satisfies {
    why: string;
    from: DeploymentGroupSpec | undefined;
    to: DeploymentGroupSpec | undefined;
    want: Partial<GroupDelta>;
  }[]) {
    test(why, () => assert.deepEqual(groupDelta(from, to), { ...NOTHING, ...want }));
  }
});

const spec = fc
  .uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'same-1', 'same-2', 'same-3'), { minLength: 1 })
  .chain((names) =>
    fc.tuple(
      fc.constant(names),
      fc.array(fc.record({ manifest: fc.nat({ max: 1 }), rollout: fc.nat({ max: 1 }) }), {
        minLength: names.length,
        maxLength: names.length,
      }),
      fc.array(fc.boolean(), { minLength: names.length, maxLength: names.length }),
    ),
  )
  .map(([names, bodies, breaks]) => {
    const steps: ChildDeployment[][] = [[]];
    for (const [index, name] of names.entries()) {
      if (breaks[index] === true && steps.at(-1)?.length !== 0) steps.push([]);
      steps.at(-1)?.push(child(name, bodies[index]));
    }
    return group(steps);
  });

test('every child of both is in exactly one part of the plan, and the plan makes the one out of the other', () => {
  fc.assert(
    fc.property(spec, spec, (before, after) => {
      const { creates, patches, renames, deletes, unchanged } = groupDelta(before, after);
      const names = new Map(before.deployments.map((each) => [each.name, each]));
      for (const name of deletes) assert.ok(names.delete(name));
      for (const { from, to } of renames) {
        const renamed = names.get(from);
        assert.ok(renamed !== undefined && names.delete(from) && !names.has(to));
        names.set(to, { ...renamed, name: to });
      }
      for (const { child: patched, fields } of patches) {
        assert.ok(names.has(patched.name) && fields.length > 0);
        names.set(patched.name, patched);
      }
      for (const created of creates) {
        assert.ok(!names.has(created.name));
        names.set(created.name, created);
      }
      assert.deepEqual(
        Object.fromEntries(names),
        Object.fromEntries(after.deployments.map((each) => [each.name, each])),
      );
      const touched = [...creates, ...patches.map((patch) => patch.child)].map(({ name }) => name);
      const told = [...touched, ...renames.map(({ to }) => to), ...unchanged];
      assert.deepEqual(told.sort(), after.deployments.map(({ name }) => name).sort());
    }),
  );
});

test('a group that stays the same asks for nothing', () => {
  fc.assert(
    fc.property(spec, (same) => {
      const { unchanged, ...rest } = groupDelta(same, structuredClone(same));
      assert.deepEqual({ ...rest, unchanged: [] }, NOTHING);
      assert.equal(unchanged.length, same.deployments.length);
    }),
  );
});
