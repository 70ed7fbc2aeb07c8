import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NO_OPTIONS, type SetOptions, setOptions } from './set-options.ts';

const ALL: SetOptions = { serverSideApply: true, driftRepairMs: 60_000, prune: true, keepResources: true };

describe('the options of a set', () => {
  const cases: readonly { why: string; annotations: Record<string, string>; defaults: SetOptions; want: SetOptions }[] =
    [
      { why: 'nothing unless somebody asks', annotations: {}, defaults: NO_OPTIONS, want: NO_OPTIONS },
      { why: 'those of the operator', annotations: {}, defaults: ALL, want: ALL },
      {
        why: 'the set decides',
        annotations: { 'server-side-apply': 'true', 'drift-repair': '10m', prune: 'true', 'keep-resources': 'true' },
        defaults: NO_OPTIONS,
        want: { ...ALL, driftRepairMs: 600_000 },
      },
      {
        why: 'also against them',
        annotations: { 'server-side-apply': 'false', 'drift-repair': 'off', prune: 'false', 'keep-resources': 'false' },
        defaults: ALL,
        want: NO_OPTIONS,
      },
      {
        why: 'what cannot be read says nothing',
        annotations: { 'server-side-apply': 'yes', 'drift-repair': 'often', prune: '', 'keep-resources': 'TRUE' },
        defaults: NO_OPTIONS,
        want: NO_OPTIONS,
      },
      {
        why: 'not all the time',
        annotations: { 'drift-repair': '1s' },
        defaults: NO_OPTIONS,
        want: { ...NO_OPTIONS, driftRepairMs: 10_000 },
      },
    ];
  for (const { why, annotations, defaults, want } of cases) {
    it(why, () => {
      const prefixed = Object.entries(annotations).map(([key, value]) => [`crs.fleetshift.io/${key}`, value]);
      assert.deepEqual(setOptions(Object.fromEntries(prefixed), defaults), want);
    });
  }
});
