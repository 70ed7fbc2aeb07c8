import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aTarget, placeAt } from '../testing/a-target.ts';
import {
  assignTarget,
  patchTarget,
  reportTarget,
  type TargetPatch,
  type TargetReport,
  withLifecycle,
} from './change-target.ts';
import type { ObservedCondition } from './conditions.ts';
import { LIFECYCLES, type Target } from './target.ts';

const PREFIX = 'agent.fleetshift.io/';
const ready: ObservedCondition = { type: 'Ready', status: 'True', reason: 'Fine', message: '', observedGeneration: 1 };
const faultsOf = (body: () => unknown): string[] => {
  try {
    body();
  } catch (error) {
    const { code, faults } = error as { code: string; faults: { path: string }[] };
    assert.equal(code, 'INVALID_TARGET');
    return faults.map(({ path }) => path);
  }
  return assert.fail('nothing was refused');
};

describe('what a person asks for', () => {
  const before = aTarget({ labels: { a: '1' }, reportedLabels: { [`${PREFIX}zone`]: 'x' }, version: 4, generation: 2 });

  it('counts as a generation and a version, and leaves what the agent said', () => {
    const after = patchTarget(before, { labels: { b: '2' }, properties: { c: 1 } }, 9_000);
    const want = {
      ...before,
      labels: { a: '1', b: '2' },
      properties: { c: 1 },
      generation: 3,
      version: 5,
      updateTime: 9_000,
    };
    assert.deepEqual(after, want);
  });

  for (const { why, change } of [
    { why: 'a patch that says nothing', change: (target: Target) => patchTarget(target, {}, 9_000) },
    {
      why: 'a patch that says what is so',
      change: (target: Target) => patchTarget(target, { labels: { a: '1' } }, 9_000),
    },
    { why: 'an assignment to where it is', change: (target: Target) => assignTarget(target, target.workspace, 9_000) },
    { why: 'a lifecycle that it has', change: (target: Target) => withLifecycle(target, 'Active', 9_000) },
    { why: 'a report of nothing', change: (target: Target) => reportTarget(target, {}, 9_000) },
    {
      why: 'a report of what was reported',
      change: (target: Target) => reportTarget(target, { labels: { [`${PREFIX}zone`]: 'x' } }, 9_000),
    },
  ]) {
    it(`leaves the very same target after ${why}`, () => assert.equal(change(before), before));
  }

  for (const { why, patch, path } of [
    {
      why: "the agent's prefix",
      patch: { labels: { [`${PREFIX}zone`]: 'y' } },
      path: '/labels/agent.fleetshift.io~1zone',
    },
    { why: 'too large properties', patch: { properties: { a: 'x'.repeat(20_000) } }, path: '/properties' },
    { why: 'too deep properties', patch: { properties: nested(17) }, path: '/properties' },
    {
      why: 'a manifest type that is none',
      patch: { advertisedManifestTypes: ['a', 'B'] },
      path: '/advertisedManifestTypes/0',
    },
    {
      why: 'too many manifest types',
      patch: { advertisedManifestTypes: Array.from({ length: 65 }, (_, nth) => `t${nth}`) },
      path: '/advertisedManifestTypes',
    },
  ] satisfies { why: string; patch: TargetPatch; path: string }[]) {
    it(`is refused with ${why}`, () =>
      assert.deepEqual(
        faultsOf(() => patchTarget(before, patch, 1)),
        [path],
      ));
  }

  it('may be nested as deep as there is, and as large', () => {
    assert.equal(patchTarget(before, { properties: nested(16) }, 1).version, 5);
    assert.equal(patchTarget(before, { properties: { a: 'x'.repeat(16_384 - 8) } }, 1).version, 5);
    assert.deepEqual(
      faultsOf(() => patchTarget(before, { properties: { a: 'x'.repeat(16_384 - 7) } }, 1)),
      ['/properties'],
    );
    assert.equal(patchTarget(before, { properties: { a: '€'.repeat(5_458) } }, 1).version, 5, 'three bytes each');
    assert.deepEqual(
      faultsOf(() => patchTarget(before, { properties: { a: '€'.repeat(5_459) } }, 1)),
      ['/properties'],
    );
    assert.throws(() => patchTarget(before, { properties: { a: '\ud800' } }, 1), { code: 'NOT_JSON' });
  });

  it('moves it to another workspace', () => {
    const after = assignTarget(before, placeAt('/root/emea/'), 1);
    assert.deepEqual(
      [after.workspace, after.generation, after.updateTime],
      [placeAt('/root/emea/'), 3, before.updateTime],
    );
  });
});

describe('the lifecycle of a target', () => {
  for (const from of LIFECYCLES) {
    for (const to of LIFECYCLES) {
      const isRefused = from === 'Deprovisioning' && to !== 'Deprovisioning';
      it(`${isRefused ? 'does not go' : 'goes'} from ${from} to ${to}`, () => {
        const change = () => withLifecycle(aTarget({ lifecycle: from }), to, 1);
        if (isRefused) assert.throws(change, { code: 'LIFECYCLE_CONFLICT' });
        else assert.equal(change().lifecycle, to);
      });
    }
  }
});

describe('what an agent reports', () => {
  const before = aTarget({ labels: { env: 'test' }, properties: { mine: 1 }, version: 2 });

  it('is kept apart from what people said, and is no new generation', () => {
    const report = { labels: { [`${PREFIX}env`]: 'prod' }, properties: { mine: 2 }, advertisedManifestTypes: ['helm'] };
    assert.deepEqual(reportTarget(before, report, 9_000), {
      ...before,
      reportedLabels: { [`${PREFIX}env`]: 'prod' },
      reportedProperties: { mine: 2 },
      advertisedManifestTypes: ['helm'],
      version: 3,
      updateTime: 9_000,
    });
  });

  it('replaces what it reported before, and leaves what it does not speak of', () => {
    const first = reportTarget(before, { labels: { [`${PREFIX}a`]: '1' }, properties: { x: 1 } }, 1);
    const second = reportTarget(first, { labels: { [`${PREFIX}b`]: '2' } }, 1);
    assert.deepEqual([second.reportedLabels, second.reportedProperties], [{ [`${PREFIX}b`]: '2' }, { x: 1 }]);
  });

  for (const { why, report, path } of [
    { why: "a person's label", report: { labels: { env: 'prod' } }, path: '/reportedLabels/env' },
    {
      why: 'a label of a like prefix',
      report: { labels: { 'agent.fleetshift.io.evil/env': 'a' } },
      path: '/reportedLabels/agent.fleetshift.io.evil~1env',
    },
    { why: 'too much', report: { properties: { a: 'x'.repeat(20_000) } }, path: '/reportedProperties' },
    {
      why: 'a condition of two words',
      report: { conditions: [{ ...ready, type: 'Is Ready' }] },
      path: '/conditions/0/type',
    },
    {
      why: 'a condition without a reason',
      report: { conditions: [{ ...ready, reason: '' }] },
      path: '/conditions/0/reason',
    },
    {
      why: 'a message that cannot be stored',
      report: { conditions: [{ ...ready, message: '\0' }] },
      path: '/conditions/0/message',
    },
    {
      why: 'too many conditions',
      report: { conditions: Array.from({ length: 33 }, (_, nth) => ({ ...ready, type: `C${nth}` })) },
      path: '/conditions',
    },
  ] satisfies { why: string; report: TargetReport; path: string }[]) {
    it(`is refused with ${why}`, () =>
      assert.deepEqual(
        faultsOf(() => reportTarget(before, report, 1)),
        [path],
      ));
  }

  it('keeps conditions by type, each with the time when its status became what it is', () => {
    const first = reportTarget(before, { conditions: [ready, { ...ready, type: 'Alive' }] }, 1_000);
    const second = reportTarget(first, { conditions: [{ ...ready, message: 'still' }] }, 2_000);
    const third = reportTarget(second, { conditions: [{ ...ready, status: 'False', reason: 'Broken' }] }, 3_000);
    assert.deepEqual(
      [first, second, third].map(({ conditions }) =>
        conditions.map((each) => `${each.type} ${each.lastTransitionTime}`),
      ),
      [
        ['Alive 1000', 'Ready 1000'],
        ['Alive 1000', 'Ready 1000'],
        ['Alive 1000', 'Ready 3000'],
      ],
    );
    assert.equal(reportTarget(third, { conditions: [{ ...ready, status: 'False', reason: 'Broken' }] }, 4_000), third);
  });
});

function nested(depth: number): { [key: string]: never } {
  const inner = depth === 1 ? 1 : nested(depth - 1);
  return { a: inner as never };
}
