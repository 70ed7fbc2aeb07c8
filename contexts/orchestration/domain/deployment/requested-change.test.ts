import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TargetId } from '#protocol/targets';
import { requestedChange } from './requested-change.ts';
import type { Trigger } from './trigger.ts';
import { turnTriggers } from './turn-triggers.ts';

const A = 'a' as TargetId;
const B = 'b' as TargetId;
const BACK: Trigger = { kind: 'rollback', to: 1, paced: false, by: 'ann' };
const PATCH: Trigger = { kind: 'spec', axes: ['manifest'], by: 'bob' };

for (const { why, triggers, want } of [
  { why: 'a rollback after a patch wins', triggers: [PATCH, BACK], want: BACK },
  { why: 'a patch of what is deployed after a rollback wins', triggers: [BACK, PATCH], want: undefined },
  {
    why: 'a patch of where it goes leaves a rollback be',
    triggers: [BACK, { kind: 'spec', axes: ['placement'], by: 'bob' }],
    want: BACK,
  },
] satisfies readonly { why: string; triggers: readonly Trigger[]; want: Trigger | undefined }[]) {
  test(why, () => assert.deepEqual(requestedChange(triggers).rollback, want));
}

for (const { triggers, want } of [
  { triggers: [{ kind: 'target', target: A, causes: [] }], want: true },
  { triggers: [{ kind: 'scores' }], want: true },
  { triggers: [{ kind: 'confirmRemoval', by: 'ann' }], want: true },
  { triggers: [{ kind: 'spec', axes: ['placement'], by: 'bob' }], want: true },
  // Which targets accept the manifest is part of placement.
  { triggers: [PATCH], want: true },
  { triggers: [BACK], want: true },
  { triggers: [{ kind: 'spec', axes: ['rollout'], by: 'bob' }], want: false },
  { triggers: [{ kind: 'regenerate', why: '' }], want: false },
  { triggers: [{ kind: 'drift', target: A }], want: false },
  { triggers: [{ kind: 'rebuilt', target: A }], want: false },
  { triggers: [{ kind: 'owed', by: 'x' }], want: false },
  { triggers: [{ kind: 'retry', by: 'ann' }], want: false },
  { triggers: [{ kind: 'drift', target: A }, { kind: 'scores' }], want: true },
] satisfies readonly { triggers: readonly Trigger[]; want: boolean }[]) {
  const kinds = triggers.map((each) => (each.kind === 'spec' ? `a patch of the ${each.axes.join()}` : each.kind));
  test(`where it goes is ${want ? '' : 'not '}asked again after: ${kinds.join(', ')}`, () => {
    assert.equal(requestedChange(triggers).resolves, want);
  });
}

test('any number of triggers are one requested change, with the same text in any order', () => {
  const triggers: Trigger[] = [
    { kind: 'target', target: A, causes: ['relabel'] },
    { kind: 'target', target: A, causes: ['move'] },
    { kind: 'drift', target: B },
    { kind: 'ahead', target: A, revision: 7 },
    { kind: 'owed', targets: [B], by: 'fleetshift' },
    PATCH,
  ];
  const requested = requestedChange(triggers);
  assert.deepEqual([...(requested.causes.targets.get(A) ?? [])], ['relabel', 'move']);
  assert.deepEqual([requested.causes.specPatch, requested.isForAll, requested.ahead], [true, true, 7]);
  assert.deepEqual([[...requested.named].sort(), [...requested.again]], [[A, B], [B]]);
  assert.equal(requested.text, requestedChange(triggers.toReversed()).text);
  assert.equal(requested.requestedBy, 'fleetshift');
  assert.equal(requestedChange([{ kind: 'scores' }]).requestedBy, 'fleetshift');
  assert.equal(requestedChange([{ kind: 'scores' }, PATCH]).requestedBy, 'bob');
});

test('a first rollout says that it was created, and not what changed by that', () => {
  const made: Trigger = { kind: 'spec', axes: ['manifest', 'placement', 'rollout'], by: 'ann', isNew: true };
  assert.equal(requestedChange([made]).text, 'it was created');
  assert.equal(requestedChange([made, PATCH]).text, 'it was created; the spec was changed: manifest');
});

test('to confirm all is more than to confirm some', () => {
  const some: Trigger = { kind: 'confirmRemoval', targets: [A], by: 'ann' };
  const all: Trigger = { kind: 'confirmRemoval', by: 'ann' };
  assert.deepEqual(requestedChange([some]).confirmed, new Set([A]));
  assert.equal(requestedChange([some, all]).confirmed, 'all');
  assert.equal(requestedChange([all, some]).confirmed, 'all');
});

for (const { why, trigger, want } of [
  { why: 'a patch of what is deployed supersedes', trigger: PATCH, want: { isSuperseded: true, done: [] } },
  {
    why: 'a patch of the rollout alone governs the next one',
    trigger: { kind: 'spec', axes: ['rollout'], by: 'bob' },
    want: { isSuperseded: false, done: [] },
  },
  {
    why: 'a rebuilt target gets it once more',
    trigger: { kind: 'rebuilt', target: A },
    want: { again: new Set([A]), done: ['1'] },
  },
  {
    why: 'so does one that changed in what the manifest reads',
    trigger: { kind: 'regenerate', targets: [A], why: '' },
    want: { again: new Set([A]), isSuperseded: false },
  },
  { why: 'all of them supersede', trigger: { kind: 'regenerate', why: '' }, want: { isSuperseded: true } },
  {
    why: 'drift waits for the next',
    trigger: { kind: 'drift', target: A },
    want: { isSuperseded: false, done: [], again: new Set() },
  },
  {
    why: 'an abort is for this one, and says whose it is',
    trigger: { kind: 'abort', by: 'ann' },
    want: { isAborted: true, abortedBy: 'ann', done: ['1'] },
  },
  {
    why: 'an abandon ends this one and stays',
    trigger: { kind: 'abandon', by: 'ann' },
    want: { isAborted: true, done: [] },
  },
  {
    why: 'a retry is for this one',
    trigger: { kind: 'retry', targets: [A], by: 'ann' },
    want: { retries: [[A]], done: ['1'] },
  },
  { why: 'a replan is for this one', trigger: { kind: 'replan', by: 'ann' }, want: { replans: true, done: ['1'] } },
  { why: 'a rollback is urgent', trigger: BACK, want: { isUrgent: true, isSuperseded: true } },
  { why: 'a paced one is not', trigger: { ...BACK, paced: true }, want: { isUrgent: false, isSuperseded: true } },
  {
    why: 'targets are resolved',
    trigger: { kind: 'target', target: A, causes: [] },
    want: { placed: ['1'], done: [] },
  },
  {
    why: 'an agent that is ahead supersedes',
    trigger: { kind: 'ahead', target: A, revision: 2 },
    want: { isSuperseded: true },
  },
  { why: 'what is owed waits', trigger: { kind: 'owed', by: 'x' }, want: { isSuperseded: false, done: [] } },
] satisfies readonly { why: string; trigger: Trigger; want: Partial<ReturnType<typeof turnTriggers>> }[]) {
  test(`while a rollout is under way: ${why}`, () => {
    const found = turnTriggers([{ id: '1', time: 1, trigger }]);
    assert.deepEqual({ ...found, ...want }, found);
  });
}
