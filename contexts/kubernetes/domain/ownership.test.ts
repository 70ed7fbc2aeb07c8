import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { MODES, ON_CONFLICT } from './delivery-policy.ts';
import { conflictMessage, conflictsOf, foreignManagers } from './field-conflict.ts';
import type { InventoryEntry } from './inventory.ts';
import { DEPLOYMENT_LABEL, type KubeObject, keyOf, type ManagedFields } from './kube-object.ts';
import { nextStep, type ObjectSituation, pruneStep, wasMadeByUs } from './ownership.ts';

const OURS: ManagedFields = { manager: 'fleetshift', operation: 'Apply', fieldsV1: { 'f:data': { 'f:a': {} } } };
const KUBECTL: ManagedFields = { manager: 'kubectl', operation: 'Update', fieldsV1: { 'f:data': { 'f:b': {} } } };
const STATUS: ManagedFields = { manager: 'kubelet', operation: 'Update', subresource: 'status', fieldsV1: {} };

interface Made {
  readonly uid?: string;
  readonly label?: string;
  readonly managedFields?: readonly ManagedFields[];
}

function live({ uid = 'u-1', label = 'd-1', managedFields = [OURS] }: Made = {}): KubeObject {
  const labels = { [DEPLOYMENT_LABEL]: label };
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', namespace: 'shop', uid, labels, managedFields },
  };
}

const KEY = keyOf(live());
const ENTRY: InventoryEntry = { key: KEY, uid: 'u-1', origin: 'created', sent: 's1', held: 'h1' };
const INTENT: InventoryEntry = { key: KEY, origin: 'created', sent: 's1' };

function situation(change: Partial<ObjectSituation>): ObjectSituation {
  const policy = { mode: 'manage', onConflict: 'fail' } as const;
  const its = { key: KEY, deployment: 'd-1', policy, entry: ENTRY, live: live(), other: undefined };
  return { ...its, sent: 's1', held: 'h1', ...change };
}

function policy(onConflict: 'adopt' | 'force') {
  return { mode: 'manage', onConflict } as const;
}

const STEPS: readonly { why: string; change: Partial<ObjectSituation>; want: object }[] = [
  { why: 'as it was made, and the same is desired: no request', change: {}, want: { kind: 'keep' } },
  {
    why: 'something else is desired',
    change: { sent: 's2' },
    want: { kind: 'apply', origin: 'created', force: false },
  },
  { why: 'it drifted', change: { held: 'h2' }, want: { kind: 'apply', origin: 'created', force: false } },
  {
    why: 'what was adopted stays adopted',
    change: { entry: { ...ENTRY, origin: 'adopted' }, sent: 's2' },
    want: { kind: 'apply', origin: 'adopted', force: false },
  },
  { why: 'it is not there', change: { live: undefined }, want: { kind: 'apply', origin: 'created', force: false } },
  {
    why: 'the agent ended while it was made: it is finished, and its uid learnt',
    change: { entry: INTENT, held: undefined },
    want: { kind: 'apply', origin: 'created', force: false },
  },
  {
    why: 'force takes fields, too',
    change: { policy: policy('force'), sent: 's2' },
    want: { kind: 'apply', origin: 'created', force: true },
  },
  {
    why: 'adopt takes over what others made',
    change: { policy: policy('adopt'), entry: undefined, live: live({ managedFields: [KUBECTL] }) },
    want: { kind: 'apply', origin: 'adopted', force: false },
  },
  {
    why: 'force takes over what others made, with its fields',
    change: { policy: policy('force'), entry: undefined, live: live({ managedFields: [KUBECTL] }) },
    want: { kind: 'apply', origin: 'adopted', force: true },
  },
];

describe('what is done with an object', () => {
  for (const { why, change, want } of STEPS) {
    it(why, () => assert.deepEqual(nextStep(situation(change)), want));
  }

  const CONFLICTS: readonly { why: string; change: Partial<ObjectSituation>; says: RegExp }[] = [
    {
      why: 'somebody else made it',
      change: { entry: undefined, live: live({ managedFields: [KUBECTL] }) },
      says: /^v1\/ConfigMap\/shop\/a already exists.*managed by kubectl\..*onConflict: adopt/,
    },
    {
      why: 'somebody deleted ours and made another',
      change: { live: live({ uid: 'u-2', managedFields: [KUBECTL] }) },
      says: /already exists/,
    },
    {
      why: 'somebody was faster than an agent that then ended',
      change: { entry: INTENT, live: live({ managedFields: [OURS, KUBECTL] }) },
      says: /already exists/,
    },
    { why: 'another deployment has it, even by force', change: { policy: policy('force'), other: 'd-2' }, says: /d-2/ },
  ];
  for (const { why, change, says } of CONFLICTS) {
    it(`is nothing, and a conflict: ${why}`, () => {
      const step = nextStep(situation(change));
      assert.match(step.kind === 'conflict' ? step.message : step.kind, says);
    });
  }

  it('waits for one that is on its way out, and says what holds it', () => {
    const its = live();
    const metadata = { ...its.metadata, deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['b.io/x', 'a.io/x'] };
    const step = nextStep(situation({ live: { ...its, metadata } }));
    assert.match(step.kind === 'wait' ? step.message : '', /finalizers a\.io\/x, b\.io\/x\.$/);
  });

  const anything = fc.record({
    entry: fc.constantFrom(undefined, ENTRY, INTENT, { ...ENTRY, uid: 'u-9' }),
    live: fc.constantFrom(undefined, live(), live({ label: 'd-2' }), live({ managedFields: [KUBECTL] })),
    other: fc.constantFrom(undefined, 'd-2'),
    sent: fc.constantFrom('s1', 's2'),
    held: fc.constantFrom('h1', 'h2', undefined),
  });

  it('safety: writes nothing to observe or to release', () => {
    fc.assert(
      fc.property(anything, fc.constantFrom(...MODES), fc.constantFrom(...ON_CONFLICT), (its, mode, onConflict) => {
        const { kind } = nextStep(situation({ ...its, policy: { mode, onConflict } }));
        if (mode === 'observe') assert.equal(kind, 'compare');
        if (mode === 'release') assert.equal(kind, 'release');
        if (mode === 'manage') assert.ok(!['compare', 'release'].includes(kind));
      }),
    );
  });

  it('safety: never writes to what another deployment has, nor without leave to what others made', () => {
    fc.assert(
      fc.property(anything, fc.constantFrom(...ON_CONFLICT), (its, onConflict) => {
        const step = nextStep(situation({ ...its, policy: { mode: 'manage', onConflict } }));
        if (step.kind !== 'apply') return;
        assert.equal(its.other, undefined);
        const isForeign = its.live?.metadata.managedFields?.includes(KUBECTL) && its.entry?.uid !== 'u-1';
        if (isForeign) assert.deepEqual([step.origin, onConflict === 'fail'], ['adopted', false]);
      }),
    );
  });
});

describe('what is deleted', () => {
  const ROWS: readonly { why: string; entry: InventoryEntry; there: KubeObject | undefined; want: object }[] = [
    { why: 'the very object of the inventory', entry: ENTRY, there: live(), want: { kind: 'delete', uid: 'u-1' } },
    { why: 'nothing where nothing is', entry: ENTRY, there: undefined, want: { kind: 'forget' } },
    {
      why: 'not another object of the same name',
      entry: ENTRY,
      there: live({ uid: 'u-2', managedFields: [KUBECTL] }),
      want: { kind: 'forget' },
    },
    {
      why: 'one that we made anew ourselves, and did not come to write down',
      entry: ENTRY,
      there: live({ uid: 'u-2', managedFields: [OURS, STATUS] }),
      want: { kind: 'delete', uid: 'u-2' },
    },
    { why: 'one that we were about to make', entry: INTENT, there: live(), want: { kind: 'delete', uid: 'u-1' } },
    {
      why: 'not one that somebody else made before us',
      entry: INTENT,
      there: live({ managedFields: [OURS, KUBECTL] }),
      want: { kind: 'forget' },
    },
    { why: 'not one of another label', entry: INTENT, there: live({ label: 'd-2' }), want: { kind: 'forget' } },
    { why: 'not a copy with our label', entry: INTENT, there: live({ managedFields: [] }), want: { kind: 'forget' } },
  ];
  for (const { why, entry, there, want } of ROWS) {
    it(why, () => assert.deepEqual(pruneStep(entry, there, 'd-1'), want));
  }
});

describe('who else has fields', () => {
  it('is read from the object, without those who only write its status', () => {
    assert.deepEqual(foreignManagers(live({ managedFields: [STATUS, KUBECTL, OURS] })), [
      { manager: 'kubectl', fields: ['.data.b'] },
    ]);
    assert.ok(wasMadeByUs(live({ managedFields: [OURS, STATUS] })));
  });

  const causes = [
    {
      reason: 'FieldManagerConflict',
      message: 'conflict with "kubectl" using v1 at 2026-01-01T00:00:00Z',
      field: '.data.z',
    },
    { reason: 'FieldManagerConflict', message: 'conflict with "kubectl" using v1', field: '.data.b' },
    {
      reason: 'FieldManagerConflict',
      message: 'conflict with "a \\"b\\"" with subresource "scale" using apps/v1',
      field: '.spec.replicas',
    },
  ];

  it('is read from a refusal', () => {
    assert.deepEqual(conflictsOf({ code: 409, reason: 'Conflict', details: { causes } }), [
      { manager: 'a "b"', fields: ['.spec.replicas'] },
      { manager: 'kubectl', fields: ['.data.b', '.data.z'] },
    ]);
    assert.equal(conflictsOf({ code: 409, reason: 'Conflict', message: 'object was modified' }), undefined);
    const other = [{ reason: 'UnexpectedServerResponse', message: 'conflict with "x" using v1' }];
    assert.equal(conflictsOf({ code: 500, details: { causes: other } }), undefined);
  });

  it('is told with the fields, in the same words each time, and not at any length', () => {
    const fields = ['.a', '.b', '.c', '.d', '.e', '.f', '.g'];
    const message = conflictMessage(KEY, [{ manager: 'kubectl', fields }]);
    assert.match(
      message,
      /^v1\/ConfigMap\/shop\/a: kubectl has \.a, \.b, \.c, \.d, \.e and 2 more\. Set onConflict: force/,
    );
  });
});
