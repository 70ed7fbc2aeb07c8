import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ANYTHING, type Course, differences, type IntendedDifference, judge } from './compare.ts';

const UPSTREAM: Course = { applied: { sets: { web: { reason: 'Applied', message: '' } }, bindings: {} } };

const INTENDED: IntendedDifference = {
  scenario: 'one',
  path: 'applied/sets.web.reason',
  upstream: 'Applied',
  ours: 'NotApplied',
  wanted: 'a line',
};

describe('differences', () => {
  const cases: readonly { why: string; ours: Course; want: readonly (readonly [string, unknown, unknown])[] }[] = [
    { why: 'none between equals', ours: structuredClone(UPSTREAM), want: [] },
    {
      why: 'a field that differs',
      ours: { applied: { sets: { web: { reason: 'NotApplied', message: '' } }, bindings: {} } },
      want: [['applied/sets.web.reason', 'Applied', 'NotApplied']],
    },
    {
      why: 'a field that one of them lacks; an empty object is a field',
      ours: { applied: { sets: { web: { reason: 'Applied', message: '' } } } },
      want: [['applied/bindings', '{}', undefined]],
    },
    {
      why: 'a list is compared by place, and its length counts',
      ours: { applied: { sets: { web: { reason: 'Applied', message: '' } }, bindings: { one: [{ a: 1 }, { a: 2 }] } } },
      want: [
        ['applied/bindings', '{}', undefined],
        ['applied/bindings.one.0.a', undefined, 1],
        ['applied/bindings.one.1.a', undefined, 2],
      ],
    },
    {
      why: 'a moment that one of them lacks',
      ours: { ...UPSTREAM, later: { sets: {} } },
      want: [['later/sets', undefined, '{}']],
    },
  ];
  for (const { why, ours, want } of cases) {
    it(why, () => {
      const found = differences('one', UPSTREAM, ours).map((it) => [it.path, it.upstream, it.ours]);
      assert.deepEqual(found, want);
    });
  }
});

describe('judge', () => {
  const found = { scenario: 'one', path: 'applied/sets.web.reason', upstream: 'Applied', ours: 'NotApplied' };
  const cases: readonly {
    why: string;
    found?: readonly (typeof found)[];
    intended: readonly IntendedDifference[];
    played?: readonly string[];
    want: readonly [unintended: number, missing: number];
  }[] = [
    { why: 'what is intended passes', intended: [INTENDED], want: [0, 0] },
    { why: 'what is not intended does not', intended: [], want: [1, 0] },
    { why: 'another value than intended does not', intended: [{ ...INTENDED, ours: 'Applied' }], want: [1, 1] },
    { why: 'nor the same in another scenario', intended: [{ ...INTENDED, scenario: 'two' }], want: [1, 0] },
    { why: 'an intended one that is not there is missed', found: [], intended: [INTENDED], want: [0, 1] },
    { why: 'unless its scenario was not played', found: [], intended: [INTENDED], played: [], want: [0, 0] },
    {
      why: 'or it is there only now and then',
      found: [],
      intended: [{ ...INTENDED, sometimes: true }],
      want: [0, 0],
    },
    { why: 'a pattern stands for a value', intended: [{ ...INTENDED, ours: /^Not/ }], want: [0, 0] },
    { why: 'and anything for whatever there is', intended: [{ ...INTENDED, ours: ANYTHING }], want: [0, 0] },
    { why: 'a pattern stands for paths', intended: [{ ...INTENDED, path: /\.reason$/ }], want: [0, 0] },
  ];
  for (const { why, intended, found: given = [found], played = ['one'], want } of cases) {
    it(why, () => {
      const { unintended, missing } = judge(given, intended, played);
      assert.deepEqual([unintended.length, missing.length], want);
    });
  }
});
