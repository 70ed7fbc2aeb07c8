import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cycleThrough, holdsHealthGate, type Waiter } from './gate-waits.ts';

const gate = (deployment: string) => ({ type: 'deploymentHealth', deployment });
const plain = { type: 'inline', documents: [] };

/** Waits for each of the others, at every place of a rollout where a gate can be. */
function waiter(name: string, ...others: readonly string[]): Waiter {
  const [first, second, third] = others;
  const rollout = {
    type: 'staged',
    stages: [
      {
        name: 'canary',
        selector: {},
        ...(first === undefined ? {} : { beforeTasks: [{ type: 'wait', duration: '1m' }, gate(first)] }),
        ...(second === undefined ? {} : { afterTasks: [gate(second)] }),
      },
    ],
    ...(third === undefined ? {} : { removal: { beforeTasks: [gate(third)] } }),
  };
  return { name, spec: { manifest: plain, rollout } };
}

function group(name: string, ...children: readonly Waiter[]): Waiter {
  const deployments = children.map((child) => ({ name: child.name, ...child.spec }));
  return { name, spec: { manifest: { type: 'deploymentGroup', deployments }, rollout: { type: 'immediate' } } };
}

describe('deployments that would wait for each other forever', () => {
  for (const { why, it: its, others = [], want } of [
    { why: 'one that waits for nobody', it: waiter('a'), others: [waiter('b', 'a')], want: undefined },
    { why: 'one that waits for one that is not there yet', it: waiter('a', 'b'), want: undefined },
    { why: 'one that waits for itself', it: waiter('a', 'a'), want: ['a'] },
    { why: 'two', it: waiter('a', 'b'), others: [waiter('b', 'a')], want: ['a', 'b'] },
    { why: 'by a gate after a stage', it: waiter('a', 'x', 'b'), others: [waiter('b', 'a')], want: ['a', 'b'] },
    { why: 'by a gate of the removal', it: waiter('a', 'x', 'y', 'b'), others: [waiter('b', 'a')], want: ['a', 'b'] },
    { why: 'a child that waits for its group', it: group('g', waiter('c', 'g')), want: ['g', 'g-c'] },
    {
      why: 'one that waits for a child of a group that waits for it',
      it: waiter('a', 'g-c'),
      others: [group('g', waiter('c', 'a'))],
      want: ['a', 'g-c'],
    },
    {
      why: 'not what others wait for among themselves',
      it: waiter('a', 'b'),
      others: [waiter('b', 'c'), waiter('c', 'b')],
      want: undefined,
    },
    {
      why: 'not what it waited for before',
      it: waiter('a', 'c'),
      others: [waiter('a', 'b'), waiter('b', 'a')],
      want: undefined,
    },
  ]) {
    it(why, () => assert.deepEqual(cycleThrough(its, others), want));
  }

  it('are looked for only where there is a gate that waits for health', () => {
    assert.equal(holdsHealthGate(waiter('a')), false);
    assert.equal(holdsHealthGate(waiter('a', 'b')), true);
    assert.equal(holdsHealthGate(group('g', waiter('c', 'b'))), true);
  });
});
