import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { LabelSelector } from '#kit/std';
import { aCluster } from '../testing/a-set.ts';
import { selectClusters } from './cluster-selection.ts';

const CLUSTERS = [
  aCluster({ name: 'b', labels: { cni: 'yes', tier: 'gold' } }),
  aCluster({ name: 'a', labels: { cni: 'yes' } }),
  aCluster({ name: 'gone', labels: { cni: 'yes' }, isDeleting: true }),
  aCluster({ name: 'bare', labels: {} }),
];

describe('the clusters that a set is for', () => {
  const cases: readonly { why: string; selector: LabelSelector; want: readonly string[] | RegExp }[] = [
    {
      why: 'by label, in order of names, without those that go',
      selector: { matchLabels: { cni: 'yes' } },
      want: ['a', 'b'],
    },
    { why: 'none when the selector says nothing', selector: {}, want: [] },
    { why: 'none when all it has is empty', selector: { matchLabels: {}, matchExpressions: [] }, want: [] },
    {
      why: 'what has no such label is not in it either',
      selector: { matchExpressions: [{ key: 'tier', operator: 'NotIn', values: ['gold'] }] },
      want: ['a', 'bare'],
    },
    {
      why: 'all parts have to be true',
      selector: { matchLabels: { cni: 'yes' }, matchExpressions: [{ key: 'tier', operator: 'Exists' }] },
      want: ['b'],
    },
    {
      why: 'an operator that there is not',
      selector: { matchExpressions: [{ key: 'a', operator: 'Like' as 'In', values: ['b'] }] },
      want: /^"Like" is not a valid label selector operator$/,
    },
    {
      why: 'In without values',
      selector: { matchExpressions: [{ key: 'a', operator: 'In' }] },
      want: /^values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty$/,
    },
    {
      why: 'a label that cannot be',
      selector: { matchLabels: { 'a b': 'x' } },
      want: /^key: Invalid value: "a b": name part must consist of/,
    },
  ];
  for (const { why, selector, want } of cases) {
    it(why, () => {
      const selection = selectClusters(selector, CLUSTERS);
      if (want instanceof RegExp) assert.match(selection.kind === 'unreadable' ? selection.why : '', want);
      else assert.deepEqual(selection.kind === 'sure' && selection.clusters.map(({ name }) => name), want);
    });
  }
});
