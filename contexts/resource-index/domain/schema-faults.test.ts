import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aKind } from '../testing/an-index.ts';
import type { IndexedKind } from './index-schema.ts';
import { schemaFaults } from './schema-faults.ts';

const field = { name: 'a', path: 'spec.a', type: 'string' } as const;

describe('what is wrong with a schema', () => {
  for (const { why, kind, path } of [
    { why: 'nothing', kind: {}, path: undefined },
    { why: 'a type that is none', kind: { type: 'Pod' }, path: '/kinds/0/type' },
    { why: 'a field twice', kind: { fields: [field, field] }, path: '/kinds/0/fields/1/name' },
    { why: 'a name that is none', kind: { fields: [{ ...field, name: 'A-b' }] }, path: '/kinds/0/fields/0/name' },
    { why: 'a path that is none', kind: { fields: [{ ...field, path: '..' }] }, path: '/kinds/0/fields/0/path' },
    { why: 'a check that says nothing', kind: { only: [{ path: 'a' }] }, path: '/kinds/0/only/0' },
    {
      why: 'a check that says two things',
      kind: { health: [{ health: 'Failed', when: [{ path: 'a', exists: true, below: 'b' }] }] },
      path: '/kinds/0/health/0/when/0',
    },
    { why: 'a time that is too short', kind: { expiry: { afterMs: 1, from: ['a'] } }, path: '/kinds/0/expiry/after' },
    { why: 'a time from nowhere', kind: { expiry: { afterMs: 60_000, from: ['['] } }, path: '/kinds/0/expiry/from/0' },
  ] as readonly { why: string; kind: Partial<IndexedKind>; path: string | undefined }[]) {
    it(`is ${why}`, () => {
      const [fault] = schemaFaults({ targetType: 'kubernetes', kinds: [aKind('v1/Box', kind)] });
      assert.equal(fault?.path, path);
    });
  }

  it('is a kind twice', () => {
    const kinds = [aKind('v1/Box'), aKind('v1/Box')];
    assert.deepEqual(
      schemaFaults({ targetType: 'kubernetes', kinds }).map(({ path }) => path),
      ['/kinds/1/type'],
    );
  });
});
