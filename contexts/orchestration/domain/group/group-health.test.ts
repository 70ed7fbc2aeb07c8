import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { GroupWorld } from './testing/group-world.ts';

describe('the health of a group is that of its children', () => {
  for (const { why, children, want } of [
    { why: 'all are healthy', children: ['Healthy', 'Healthy'], want: ['Healthy', 'Available'] },
    { why: 'one is under way', children: ['Healthy', 'Progressing'], want: ['Deploying', 'Progressing'] },
    { why: 'one is degraded', children: ['Healthy', 'Degraded'], want: ['Degraded', 'Degraded'] },
    {
      why: 'one is degraded, and another under way',
      children: ['Degraded', 'Progressing'],
      want: ['Degraded', 'Degraded'],
    },
  ] as const) {
    test(`${want[0]} when ${why}`, () => {
      const world = new GroupWorld().want([['a', 'b']]);
      world.settle();
      world.become('a', children[0]).become('b', children[1]).settle();
      assert.deepEqual([world.state.phase, world.decision?.explanation.health], want);
    });
  }
});
