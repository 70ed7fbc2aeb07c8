import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BUILT_IN_GATES } from '../../rollout/gates/built-in-gates.ts';
import { createDecide } from '../../rollout/machine/decide.ts';
import type { RolloutEvent } from '../../rollout/machine/rollout-event.ts';
import type { RolloutSpec } from '../../rollout/rollout-strategy.ts';
import { type FleetTarget, factsOf, idOf, planOf, REVISION } from '../../rollout/testing/a-rollout.ts';
import { timelineOf } from './timeline.ts';

const decide = createDecide(BUILT_IN_GATES);
const CLOCK: RolloutEvent = { kind: 'clock' };
const STARTED: RolloutEvent = { kind: 'started' };
const IMMEDIATE = { type: 'immediate' };
const canary = { name: 'canary', selector: { matchLabels: { tier: 'canary' } } };

function delivered(name: string): RolloutEvent[] {
  const target = idOf(name);
  return [
    { kind: 'delivered', target, changed: true },
    { kind: 'healthChanged', target, health: 'Available', revision: REVISION },
  ];
}

interface Case {
  readonly why: string;
  readonly spec: RolloutSpec;
  readonly fleet: readonly FleetTarget[];
  readonly turns: readonly (readonly RolloutEvent[])[];
  readonly only?: string;
  readonly want: readonly string[];
}

function told({ spec, fleet, turns, only }: Case): readonly string[] {
  const start = {
    rollout: 'r',
    revision: REVISION,
    requestedBy: 'user:ann',
    plan: planOf(spec, fleet),
    facts: fleet.map(factsOf),
    now: 0,
  };
  const recorded = turns.map((rolloutEvents, index) => ({
    turn: index + 1,
    time: (index + 1) * 1_000,
    rolloutEvents: [...rolloutEvents, CLOCK],
  }));
  const scene = { start, turns: recorded, decide, ...(only === undefined ? {} : { only: idOf(only) }) };
  return [...timelineOf(scene)].flat().map(({ turn, message, targets }) => [`${turn}:`, message, ...targets].join(' '));
}

const CASES: readonly Case[] = [
  {
    why: 'stages, gates and their answers, with a stage that has nothing to change',
    spec: {
      type: 'staged',
      stages: [
        { ...canary, afterTasks: [{ type: 'approval' }] },
        { name: 'empty', selector: { matchLabels: { tier: 'none' } } },
      ],
    },
    fleet: [{ name: 'c', labels: { tier: 'canary' } }, { name: 'p' }],
    turns: [
      [STARTED],
      delivered('c'),
      [
        {
          kind: 'gateAnswered',
          gate: 'canary/after/0/1',
          revision: REVISION,
          answer: { kind: 'approved', by: 'user:bob' },
        },
      ],
      delivered('p'),
    ],
    want: [
      '1: the rollout began',
      '1: step canary began',
      '1: the content was sent c',
      '2: the content was applied c',
      '2: it became available c',
      '2: the approval gate after step canary was reached',
      '3: user:bob approved it',
      '3: the approval gate after step canary is over',
      '3: step canary is done',
      '3: step empty has nothing to change',
      '3: step rest began',
      '3: the content was sent p',
      '4: the content was applied p',
      '4: it became available p',
      '4: step rest is done',
      '4: the rollout ended as Succeeded',
    ],
  },
  {
    why: 'what was rejected, with the reason',
    spec: { type: 'staged', stages: [{ ...canary, beforeTasks: [{ type: 'approval' }] }] },
    fleet: [{ name: 'c', labels: { tier: 'canary' } }],
    turns: [
      [STARTED],
      [
        {
          kind: 'gateAnswered',
          gate: 'canary/before/0/1',
          revision: REVISION,
          answer: { kind: 'rejected', by: 'user:bob', message: 'not today' },
        },
      ],
    ],
    want: [
      '1: the rollout began',
      '1: the approval gate before step canary was reached',
      '2: user:bob rejected it: not today',
      '2: the approval gate before step canary is over',
      '2: the rollout paused: user:bob rejected it: not today',
    ],
  },
  {
    why: 'failures one by one, the pause that follows, and another try',
    spec: { ...IMMEDIATE, maxFailures: 0 },
    fleet: [{ name: 'a' }, { name: 'b' }],
    turns: [
      [STARTED],
      [
        { kind: 'deliveryFailed', target: idOf('a'), message: 'no route' },
        { kind: 'rejected', target: idOf('b'), message: 'unknown kind' },
      ],
      [{ kind: 'retry' }],
    ],
    want: [
      '1: the rollout began',
      '1: step all began',
      '1: the content was sent a b',
      '2: the delivery failed: no route a',
      '2: the target rejected the delivery: unknown kind b',
      '2: the rollout paused: failed targets: 1, allowed: 0',
      '3: failed targets are retried',
      '3: the rollout goes on',
      '3: the content was sent a b',
    ],
  },
  {
    why: 'removals, and targets that come and go, several at once',
    spec: IMMEDIATE,
    fleet: [{ name: 'a' }, { name: 'b' }, { name: 'old', isRemoved: true }],
    turns: [
      [STARTED],
      [
        { kind: 'removed', target: idOf('old') },
        { kind: 'connectionChanged', target: idOf('a'), isOnline: false },
        { kind: 'connectionChanged', target: idOf('b'), isOnline: false },
      ],
    ],
    want: [
      '1: the rollout began',
      '1: step removal began',
      '1: removal was requested old',
      '2: the content was removed old',
      '2: the target went offline a b',
      '2: step removal is done',
      '2: step all began',
      '2: the content was sent a b',
    ],
  },
  {
    why: 'of one target only what happened to that one, and no news of another revision',
    spec: IMMEDIATE,
    fleet: [{ name: 'a' }, { name: 'b' }],
    turns: [
      [STARTED],
      [{ kind: 'healthChanged', target: idOf('a'), health: 'Degraded', revision: REVISION - 1 }],
      [...delivered('b'), ...delivered('a')],
      [{ kind: 'superseded', by: REVISION + 1 }],
    ],
    only: 'a',
    want: ['1: the content was sent a', '3: the content was applied a', '3: it became available a'],
  },
  {
    why: 'why it is degraded',
    spec: IMMEDIATE,
    fleet: [{ name: 'a' }],
    turns: [
      [STARTED],
      [{ kind: 'healthChanged', target: idOf('a'), health: 'Degraded', revision: REVISION, message: 'it crashes' }],
    ],
    only: 'a',
    want: ['1: the content was sent a', '2: it became degraded: it crashes a'],
  },
  {
    why: 'who takes its place',
    spec: IMMEDIATE,
    fleet: [{ name: 'a' }],
    turns: [[STARTED], [{ kind: 'superseded', by: REVISION + 1 }]],
    want: [
      '1: the rollout began',
      '1: step all began',
      '1: the content was sent a',
      `2: revision ${REVISION + 1} is to replace this one`,
      `2: the rollout ended as Superseded: superseded by revision ${REVISION + 1}`,
    ],
  },
];

for (const each of CASES) {
  test(`a timeline tells ${each.why}`, () => {
    assert.deepEqual(told(each), each.want);
    assert.deepEqual(told(each), told(each));
  });
}
