import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { TargetId } from '#protocol/targets';
import type { Trigger } from './trigger.ts';
import { invalidationOf } from './trigger.ts';

const [A, B] = ['a', 'b'] as TargetId[] as [TargetId, TargetId];

function regenerate(...targets: readonly TargetId[]): Trigger {
  return { kind: 'regenerate', why: '', ...(targets.length === 0 ? {} : { targets }) };
}

const ROWS: readonly { why: string; triggers: readonly Trigger[]; want: readonly string[] }[] = [
  { why: 'other triggers announce nothing', triggers: [{ kind: 'scores' }], want: ['', '', ''] },
  { why: 'all targets', triggers: [regenerate()], want: ['0', '0', '0'] },
  { why: 'one target', triggers: [regenerate(A)], want: ['0', '', '0'] },
  { why: 'the last one counts', triggers: [regenerate(A), regenerate(), regenerate(B)], want: ['1', '2', '2'] },
];

for (const { why, triggers, want } of ROWS) {
  it(`the last announcement: ${why}`, () => {
    const of = invalidationOf(triggers.map((trigger, index) => ({ id: String(index), time: 0, trigger })));
    assert.deepEqual([of(A), of(B), of('')], want);
  });
}
