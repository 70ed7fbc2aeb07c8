import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import type { Deployment } from '../domain/deployment/deployment.ts';
import type { Trigger } from '../domain/deployment/trigger.ts';
import { createPlacementRegistry } from '../domain/placement/placement-registry.ts';
import { idOf, viewOf } from '../domain/placement/testing/view-of.ts';
import type { PlacementView } from '../domain/target-view.ts';
import { mergedChanges, pathsAbove, type Standing, type TargetChange, triggersOf } from './target-changes.ts';

const PLACEMENTS = createPlacementRegistry();
const PROD = { type: 'selector', matchLabels: { env: 'prod' } };
const NOTHING = { held: [], excluded: [], retained: [] };

/** The parts of a deployment in /root/emea/ that the code under test reads. */
function deploymentOf(its: { placement?: object[]; status?: object; deletion?: object } = {}): Deployment {
  const { placement = [PROD], status = {}, deletion } = its;
  return {
    workspace: { name: 'emea', path: '/root/emea/' },
    spec: { placement },
    status: { placement: { ...NOTHING, ...status } },
    deletion,
  } as unknown as Deployment;
}

function standing(
  change: Partial<TargetChange>,
  its: { at?: string; labels?: PlacementView['labels']; isPlaced?: boolean } = {},
): Standing {
  const { at, labels = { env: 'prod' }, isPlaced } = its;
  return {
    change: { target: idOf('a'), fields: [], causes: [], paths: [], ...change },
    view: at === undefined ? undefined : { ...viewOf('a', { labels }), workspacePath: at },
    row: isPlaced === undefined ? undefined : { isPlaced },
  };
}

const IN = '/root/emea/web/';
const JOINED = { fields: ['presence'] } as const;
const RELABELLED = { fields: ['labels'], causes: ['relabel'], paths: ['/labels/env'] } as const;
const trigger = (...causes: readonly string[]): Trigger =>
  ({ kind: 'target', target: idOf('a'), causes }) as unknown as Trigger;

describe('a change of a target', () => {
  for (const { why, deployment = deploymentOf(), of, want } of [
    { why: 'that joins and is selected is told', of: standing(JOINED, { at: IN }), want: [trigger()] },
    { why: 'that joins and is not selected is not', of: standing(JOINED, { at: IN, labels: {} }), want: [] },
    { why: 'that joins elsewhere is not', of: standing(JOINED, { at: '/root/apac/' }), want: [] },
    { why: 'beside a workspace that begins alike is not', of: standing(JOINED, { at: '/root/emea-2/' }), want: [] },
    {
      why: 'that a competition may choose is told',
      deployment: deploymentOf({ placement: [{ type: 'scored', top: 1, weights: [] }] }),
      of: standing(JOINED, { at: IN }),
      want: [trigger()],
    },
    {
      why: 'that is gone is told to who has it, with the cause',
      of: standing({ fields: ['presence'], causes: ['deleted'] }, { isPlaced: true }),
      want: [trigger('deleted')],
    },
    {
      why: 'that is gone is told to who is still taking it off',
      of: standing({ fields: ['presence'], causes: ['deleted'] }, { isPlaced: false }),
      want: [trigger('deleted')],
    },
    { why: 'that is gone is not told to who never had it', of: standing({ fields: ['presence'] }), want: [] },
    {
      why: 'that is gone is told to whose status names it',
      deployment: deploymentOf({ status: { excluded: [{ id: idOf('a'), why: 'Cordoned', message: '' }] } }),
      of: standing({ fields: ['presence'] }),
      want: [trigger()],
    },
    {
      why: 'that moved out is told with the cause',
      of: standing({ fields: ['presence'], causes: ['move'] }, { at: '/root/apac/', isPlaced: true }),
      want: [trigger('move')],
    },
    {
      why: 'that is relabelled out of the selector is told with the cause',
      of: standing(RELABELLED, { at: IN, labels: {}, isPlaced: true }),
      want: [trigger('relabel')],
    },
    {
      why: 'that is relabelled into the selector is told',
      of: standing(RELABELLED, { at: IN }),
      want: [trigger('relabel')],
    },
    {
      why: 'that is relabelled and stays selected is not',
      of: standing(RELABELLED, { at: IN, isPlaced: true }),
      want: [],
    },
    {
      why: 'that is relabelled while its removal waits is told',
      deployment: deploymentOf({ status: { held: [{ id: idOf('a'), why: 'NoCause', message: '' }] } }),
      of: standing(RELABELLED, { at: IN, isPlaced: true }),
      want: [trigger('relabel')],
    },
    {
      why: 'that is relabelled back while it is being taken off is told',
      of: standing(RELABELLED, { at: IN, isPlaced: false }),
      want: [trigger('relabel')],
    },
    {
      why: 'whose lifecycle is another is told to who has it',
      of: standing({ fields: ['lifecycle'], causes: ['deprovisioned'] }, { at: IN, isPlaced: true }),
      want: [trigger('deprovisioned')],
    },
    {
      why: 'of a deployment that goes away is told when the target goes, too',
      deployment: deploymentOf({ deletion: { time: 1, by: 'ann' } }),
      of: standing({ fields: ['presence'], causes: ['deleted'] }, { isPlaced: true }),
      want: [trigger('deleted')],
    },
    {
      why: 'of a deployment that goes away is nothing otherwise',
      deployment: deploymentOf({ deletion: { time: 1, by: 'ann' } }),
      of: standing({ ...RELABELLED, paths: ['/properties/registry'] }, { at: IN, isPlaced: true }),
      want: [],
    },
  ]) {
    it(why, () => {
      assert.deepEqual(triggersOf(deployment, [of], { placements: PLACEMENTS, reads: ['/properties/registry'] }), want);
    });
  }
});

describe('what a manifest reads', () => {
  const changedIn = (...paths: readonly string[]) => standing({ paths }, { at: IN, isPlaced: true });
  const reads = ['/properties/registry/host', '/labels/zone'];
  const again = (...paths: readonly string[]): Trigger[] => [
    { kind: 'regenerate', targets: [idOf('a')], why: `targets changed in ${paths.join(', ')}` },
  ];

  for (const { why, of, want } of [
    {
      why: 'generates again when it changed',
      of: changedIn('/properties/registry/host'),
      want: again('/properties/registry/host'),
    },
    { why: 'or what it is within', of: changedIn('/properties/registry'), want: again('/properties/registry') },
    { why: 'or a label', of: changedIn('/labels/zone'), want: again('/labels/zone') },
    { why: 'and not when something beside it did', of: changedIn('/properties/registry/port'), want: [] },
    { why: 'nor something that begins alike', of: changedIn('/labels/zone-2'), want: [] },
    {
      why: 'nor for who does not have it',
      of: standing({ paths: ['/labels/zone'] }, { at: IN }),
      want: [],
    },
  ]) {
    it(why, () => assert.deepEqual(triggersOf(deploymentOf(), [of], { placements: PLACEMENTS, reads }), want));
  }

  it('of many targets is one trigger', () => {
    const standings = ['a', 'b', 'c'].map((name) => {
      const { change, ...rest } = changedIn('/labels/zone');
      return { ...rest, change: { ...change, target: idOf(name) } };
    });
    const [first, ...more] = triggersOf(deploymentOf(), standings, { placements: PLACEMENTS, reads });
    assert.deepEqual(first?.kind === 'regenerate' && first.targets, ['a', 'b', 'c'].map(idOf));
    assert.deepEqual(more, []);
  });
});

test('a burst of changes of one target is one change of it', () => {
  const none = { fields: [], causes: [], paths: [] };
  const changes: TargetChange[] = [
    { ...none, target: idOf('a'), fields: ['labels'], causes: ['relabel'], paths: ['/labels/env'] },
    { ...none, target: idOf('b'), fields: ['presence'] },
    { ...none, target: idOf('a'), fields: ['labels'], causes: ['relabel'], paths: ['/labels/env', '/labels/zone'] },
    { ...none, target: idOf('a'), fields: ['presence'], causes: ['deleted'] },
  ];
  assert.deepEqual(mergedChanges(changes), [
    {
      target: idOf('a'),
      fields: ['labels', 'presence'],
      causes: ['relabel', 'deleted'],
      paths: ['/labels/env', '/labels/zone'],
    },
    { ...none, target: idOf('b'), fields: ['presence'] },
  ]);
});

test('above a workspace are all that it is in, and itself', () => {
  assert.deepEqual(pathsAbove('/root/emea/web/'), ['/root/', '/root/emea/', '/root/emea/web/']);
  assert.deepEqual(pathsAbove('/root/'), ['/root/']);
});
