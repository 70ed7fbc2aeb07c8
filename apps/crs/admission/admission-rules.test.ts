import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { faultText, type WrittenSelector } from '#contexts/cluster-resource-sets';
import { bindingFaults, defaultedSet, type ResourceSetDocument, setFaults } from './admission-rules.ts';

function setOf(clusterSelector: WrittenSelector, strategy?: string): ResourceSetDocument {
  const spec = { clusterSelector, ...(strategy === undefined ? {} : { strategy }) };
  return { apiVersion: 'addons.cluster.x-k8s.io/v1beta2', kind: 'ClusterResourceSet', metadata: { name: 'cni' }, spec };
}

function bindingOf(clusterName?: string) {
  const spec = clusterName === undefined ? {} : { clusterName };
  return { apiVersion: 'addons.cluster.x-k8s.io/v1beta2', kind: 'ClusterResourceSetBinding', metadata: {}, spec };
}

const LABELS = { matchLabels: { cni: 'calico' } };
const SHOWN = '{"matchLabels":{"cni":"calico"}}';

suite('admission of a set', () => {
  test('a strategy is made up where there is none, and is else as it was', () => {
    assert.equal(defaultedSet(setOf(LABELS)).spec?.strategy, 'ApplyOnce');
    assert.equal(defaultedSet(setOf(LABELS, '')).spec?.strategy, 'ApplyOnce');
    const given = setOf(LABELS, 'Reconcile');
    assert.equal(defaultedSet(given), given);
  });

  for (const { why, selector, want } of [
    { why: 'a label', selector: LABELS, want: undefined },
    { why: 'an empty value of a label is one', selector: { matchLabels: { cni: '' } }, want: undefined },
    {
      why: 'a prefixed label and all four operators',
      selector: {
        matchExpressions: [
          { key: 'example.com/a', operator: 'In', values: ['x', 'y'] },
          { key: 'b', operator: 'NotIn', values: ['x'] },
          { key: 'c', operator: 'Exists' },
          { key: 'd', operator: 'DoesNotExist', values: null },
        ],
      },
      want: undefined,
    },
    {
      why: 'nothing at all selects nothing',
      selector: {},
      want: 'spec.clusterSelector: Invalid value: {}: selector must not be empty',
    },
    {
      why: 'empty maps and lists are nothing too',
      selector: { matchLabels: {}, matchExpressions: [] },
      want: 'spec.clusterSelector: Invalid value: {}: selector must not be empty',
    },
    {
      why: 'a value that is no label',
      selector: { matchLabels: { foo: '-123-foo' } },
      want:
        'spec.clusterSelector: Invalid value: {"matchLabels":{"foo":"-123-foo"}}: values[0][foo]: Invalid value: "-123-foo": ' +
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character " +
        "(e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
    },
    {
      why: 'an operator that nobody knows',
      selector: { matchExpressions: [{ key: 'a', operator: 'Near', values: ['x'] }] },
      want: 'spec.clusterSelector: Invalid value: {"matchExpressions":[{"key":"a","operator":"Near","values":["x"]}]}: "Near" is not a valid label selector operator',
    },
    {
      why: 'a list that is needed',
      selector: { matchExpressions: [{ key: 'a', operator: 'In' }] },
      want: `spec.clusterSelector: Invalid value: {"matchExpressions":[{"key":"a","operator":"In"}]}: values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty`,
    },
    {
      why: 'a list that is too much',
      selector: { matchExpressions: [{ key: 'a', operator: 'Exists', values: ['x'] }] },
      want: 'spec.clusterSelector: Invalid value: {"matchExpressions":[{"key":"a","operator":"Exists","values":["x"]}]}: values: Invalid value: ["x"]: values set must be empty for exists and does not exist',
    },
    {
      why: 'a key with nothing before its slash and nothing after it: all that is wrong with it',
      selector: { matchLabels: { '/': 'x' } },
      want:
        'spec.clusterSelector: Invalid value: {"matchLabels":{"/":"x"}}: key: Invalid value: "/": prefix part must be non-empty; name part must be non-empty; ' +
        "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character " +
        "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    },
    {
      why: 'two faults of one label stand in brackets, and what HTML cares about is escaped',
      selector: { matchLabels: { 'a/b/c': '<' } },
      want:
        String.raw`spec.clusterSelector: Invalid value: {"matchLabels":{"a/b/c":"\u003c"}}: [key: Invalid value: "a/b/c": a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName'), ` +
        String.raw`values[0][a/b/c]: Invalid value: "<": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')]`,
    },
  ]) {
    test(why, () => assert.equal(textOf(setFaults(setOf(selector))), want));
  }

  for (const { why, old, now, want } of [
    { why: 'the same', old: setOf(LABELS, 'ApplyOnce'), now: setOf(LABELS, 'ApplyOnce'), want: undefined },
    { why: 'a strategy that there was none of', old: setOf(LABELS), now: setOf(LABELS, 'Reconcile'), want: undefined },
    {
      why: 'another strategy',
      old: setOf(LABELS, 'ApplyOnce'),
      now: setOf(LABELS, 'Reconcile'),
      want: 'spec.strategy: Invalid value: "Reconcile": field is immutable',
    },
    {
      why: 'no strategy any more',
      old: setOf(LABELS, 'ApplyOnce'),
      now: setOf(LABELS),
      want: 'spec.strategy: Invalid value: "": field is immutable',
    },
    {
      why: 'another selector',
      old: setOf({ matchLabels: { cni: 'cilium' } }, 'ApplyOnce'),
      now: setOf(LABELS, 'ApplyOnce'),
      want: `spec.clusterSelector: Invalid value: ${SHOWN}: field is immutable`,
    },
    {
      why: 'labels in another order are the same',
      old: setOf({ matchLabels: { a: '1', b: '2' } }),
      now: setOf({ matchLabels: { b: '2', a: '1' } }),
      want: undefined,
    },
    {
      why: 'both',
      old: setOf({ matchLabels: { cni: 'cilium' } }, 'ApplyOnce'),
      now: setOf(LABELS, 'Reconcile'),
      want: `[spec.strategy: Invalid value: "Reconcile": field is immutable, spec.clusterSelector: Invalid value: ${SHOWN}: field is immutable]`,
    },
  ]) {
    test(`an update: ${why}`, () => assert.equal(textOf(setFaults(now, old)), want));
  }
});

suite('admission of a binding', () => {
  for (const { why, old, now, want } of [
    { why: 'created with a name', old: undefined, now: bindingOf('one'), want: undefined },
    { why: 'created without', old: undefined, now: bindingOf(), want: undefined },
    { why: 'a name that there was none of', old: bindingOf(), now: bindingOf('one'), want: undefined },
    { why: 'the same name', old: bindingOf('one'), now: bindingOf('one'), want: undefined },
    {
      why: 'another name',
      old: bindingOf('one'),
      now: bindingOf('two'),
      want: 'spec.clusterName: Invalid value: "two": field is immutable',
    },
    {
      why: 'no name any more',
      old: bindingOf('one'),
      now: bindingOf(),
      want: 'spec.clusterName: Invalid value: "": field is immutable',
    },
  ]) {
    test(why, () => assert.equal(textOf(bindingFaults(now, old)), want));
  }
});

function textOf(faults: ReturnType<typeof setFaults>): string | undefined {
  return faults.length === 0 ? undefined : faultText(faults);
}
