import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { testSeed } from '#testing/seeded';
import { BUILT_IN_GATES } from './gates/built-in-gates.ts';
import { createDecide } from './machine/decide.ts';
import type { RolloutSpec } from './rollout-strategy.ts';
import { idOf, rolloutOf } from './testing/a-rollout.ts';
import { simulate, type TargetScript } from './testing/fleet-simulator.ts';

const decide = createDecide(BUILT_IN_GATES);
const DEADLINE = 5 * 60_000;
const STAGES = ['canary', 'prod'].map((tier) => ({ name: tier, selector: { matchLabels: { tier } } }));

const specs: readonly RolloutSpec[] = [
  { type: 'immediate' },
  { type: 'immediate', maxConcurrency: 2 },
  { type: 'rolling', batchSize: 2 },
  { type: 'staged', stages: STAGES, maxConcurrency: 2 },
];

const schedule = fc
  .record({
    tiers: fc.array(fc.constantFrom('canary', 'prod', 'none'), { minLength: 2, maxLength: 9 }),
    answerMs: fc.integer({ min: 1, max: 60_000 }),
    wellMs: fc.integer({ min: 1, max: 60_000 }),
    spec: fc.constantFrom(...specs),
    dead: fc.nat(8),
    manner: fc.constantFrom('offline', 'silent', 'ill', 'deliveryFailed', 'rejected', 'generateFailed'),
  })
  .map(({ dead, ...it }) => ({ ...it, dead: `t${dead % it.tiers.length}` }));

type Schedule = typeof schedule extends fc.Arbitrary<infer T> ? T : never;

for (const { offlinePolicy, why, allowance } of [
  { offlinePolicy: 'wait', why: 'by no more than its deadline', allowance: DEADLINE },
  { offlinePolicy: 'skip', why: 'not at all, when offline targets are skipped', allowance: 0 },
] as const) {
  test(`one dead or failing target delays the others ${why}`, () => {
    const patient = { progressDeadline: '5m', offlineDeadline: '5m', maxFailures: 1, offlinePolicy };
    fc.assert(
      fc.property(schedule, (it) => {
        fc.pre(offlinePolicy === 'wait' || it.manner === 'offline');
        const healthy = sendTimes(it, patient, 'fine');
        const times = sendTimes(it, patient, it.manner);
        for (const [name, at] of healthy) {
          if (name === it.dead) continue;
          const later = times.get(name);
          assert.ok(later !== undefined, `${name} never got it`);
          assert.ok(later <= at + allowance, `${name} got it ${later - at} ms later`);
        }
      }),
      { seed: testSeed(), numRuns: 300 },
    );
  });
}

/** When each target was sent the content. */
function sendTimes(
  { tiers, spec, dead, answerMs, wellMs }: Schedule,
  budget: object,
  manner: string,
): Map<string, number> {
  const scripts = new Map(
    tiers.map((_, index) => {
      const name = `t${index}`;
      return [idOf(name), scriptOf(name === dead ? manner : 'fine', answerMs, wellMs)];
    }),
  );
  const fleet = tiers.map((tier, index) => ({
    name: `t${index}`,
    labels: { tier },
    isOnline: manner !== 'offline' || `t${index}` !== dead,
  }));
  const times = new Map<string, number>();
  const look = ({ actions, now }: { actions: readonly { kind: string; target?: unknown }[]; now: number }): void => {
    for (const { kind, target } of actions) if (kind === 'generateAndDeliver') times.set(String(target), now);
  };
  simulate({ state: rolloutOf({ ...spec, ...budget }, fleet), decide, scripts, answers: [], disturbances: [], look });
  return times;
}

function scriptOf(manner: string, answerMs: number, wellMs: number): TargetScript {
  switch (manner) {
    case 'silent':
    case 'deliveryFailed':
    case 'rejected':
    case 'generateFailed':
      return { answer: manner, answerMs };
    case 'ill':
      return { answer: 'delivered', answerMs };
    default:
      return { answer: 'delivered', answerMs, wellMs };
  }
}
