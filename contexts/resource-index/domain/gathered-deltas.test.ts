import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { anIndexed } from '../testing/an-index.ts';
import { gatherDeltas, saneReports } from './gathered-deltas.ts';

const whole = { labels: {}, owners: [], conditions: [], fields: {} };
const content = (its: Record<string, unknown>): string => JSON.stringify({ ...whole, ...its });

function put(its: Partial<ReturnType<typeof anIndexed>>): { readonly put: number; readonly refused: number } {
  const delta = { put: [{ ...anIndexed('one'), ...its }], deleted: [], droppedTypes: [] };
  const gathered = gatherDeltas([delta]);
  return { put: gathered.put.length, refused: gathered.refused };
}

describe('what an agent says of an object', () => {
  it('is taken as it was extracted', () => {
    assert.deepEqual(put({}), { put: 1, refused: 0 });
    const fields = { phase: 'Running', ready: true, restarts: 3, images: ['a', 'b'] };
    const owners = [{ type: 'v1/Pod', name: 'a', uid: 'u' }];
    assert.deepEqual(put({ content: content({ fields, owners, createTime: 1, isCut: true }) }), { put: 1, refused: 0 });
  });

  for (const { why, its } of [
    { why: 'has no content', its: { content: '{}' } },
    { why: 'has labels that are no texts', its: { content: content({ labels: { a: {} } }) } },
    { why: 'has owners that are no list', its: { content: content({ owners: {} }) } },
    { why: 'has a condition without a status', its: { content: content({ conditions: [{ type: 'Ready' }] }) } },
    { why: 'has a field with an object in it', its: { content: content({ fields: { a: { b: 1 } } }) } },
    { why: 'was created at a time that no date has', its: { content: content({ createTime: 1e300 }) } },
    { why: 'expires at a time that no date has', its: { expireTime: Number.MAX_SAFE_INTEGER } },
    { why: 'has a name with an escape in it', its: { key: { type: 'v1/Pod', namespace: '', name: 'a\u009b2J' } } },
  ]) {
    it(`is left out where it ${why}: whoever lists the others could not be answered`, () => {
      assert.deepEqual(put(its), { put: 0, refused: 1 });
    });
  }

  it('of a type that was dropped afterwards counts no more, and of others it does', () => {
    const [one, two] = [anIndexed('one'), { ...anIndexed('two'), key: { type: 'v1/Node', namespace: '', name: 'n' } }];
    const first = { put: [one, two], deleted: [], droppedTypes: [] };
    const second = { put: [], deleted: [], droppedTypes: [one.key.type] };
    assert.deepEqual(gatherDeltas([first, second]).put, [two]);
  });
});

it('a count that would spoil the sum over all targets is left out', () => {
  const report = { type: 'v1/Pod', state: 'Followed' as const, message: '' };
  const said = [
    { ...report, objects: 7 },
    { ...report, objects: Number.MAX_SAFE_INTEGER },
  ];
  assert.deepEqual(saneReports(said), [said[0]]);
});
