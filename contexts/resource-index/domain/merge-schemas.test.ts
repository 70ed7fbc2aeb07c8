import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aKind } from '../testing/an-index.ts';
import type { IndexedKind } from './index-schema.ts';
import { conflictsWith, mergeKinds } from './merge-schemas.ts';

const field = (name: string, path = name, type = 'string' as const) => ({ name, path, type });
const one = aKind('v1/Box', { fields: [field('a'), field('b')] });

describe('schemas that hold for one target', () => {
  it('add up: kinds, and fields of a kind, in order', () => {
    const merged = mergeKinds([
      { of: 'core', kinds: [one] },
      { of: 'more', kinds: [aKind('v1/Crate'), aKind('v1/Box', { fields: [field('c'), field('a')] })] },
    ]);
    assert.deepEqual(
      merged.map(({ type, fields }) => `${type}: ${fields.map(({ name }) => name).join()}`),
      ['v1/Box: a,b,c', 'v1/Crate: size'],
    );
  });

  it('leave what the first says, should they contradict each other all the same', () => {
    const [box] = mergeKinds([
      { of: 'core', kinds: [one] },
      { of: 'more', kinds: [aKind('v1/Box', { fields: [field('a', 'elsewhere')], expiry: { afterMs: 1, from: [] } })] },
    ]);
    assert.equal(box?.fields[0]?.path, 'a');
    assert.equal(box?.expiry?.afterMs, 1, 'and what only the second says');
  });

  const rules = [{ health: 'Healthy', when: [] }] as const;
  for (const { why, kind, want } of [
    { why: 'the same field', kind: { fields: [field('a')] }, want: [] },
    { why: 'another field', kind: { fields: [field('z')] }, want: [] },
    {
      why: 'a field of that name from elsewhere',
      kind: { fields: [field('z'), field('a', 'x')] },
      want: ['/kinds/0/fields/1'],
    },
    {
      why: 'other rules of health',
      kind: { fields: [], health: [{ health: 'Failed', when: [] }] },
      want: ['/kinds/0/health'],
    },
    { why: 'the same rules of health', kind: { fields: [], health: rules }, want: [] },
    { why: 'other objects', kind: { fields: [], only: [{ path: 'a', exists: true }] }, want: ['/kinds/0/only'] },
    { why: 'another time', kind: { fields: [], expiry: { afterMs: 9, from: [] } }, want: ['/kinds/0/expiry'] },
  ] as readonly { why: string; kind: Partial<IndexedKind>; want: readonly string[] }[]) {
    it(`${want.length === 0 ? 'may' : 'may not'} both say: ${why}`, () => {
      const other = { ...one, health: rules, only: [{ path: 'b', exists: true }], expiry: { afterMs: 1, from: [] } };
      const faults = conflictsWith([aKind('v1/Box', kind)], [{ of: 'other', kinds: [other] }]);
      assert.deepEqual(
        faults.map(({ path }) => path),
        want,
      );
    });
  }
});
