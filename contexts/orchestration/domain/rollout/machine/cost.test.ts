import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BUILT_IN_GATES } from '../gates/built-in-gates.ts';
import { factsOf, idOf, REVISION, rolloutOf } from '../testing/a-rollout.ts';
import { namesOf } from '../testing/rollout-run.ts';
import { createDecide } from './decide.ts';
import type { RolloutEvent } from './rollout-event.ts';
import type { RolloutState } from './rollout-state.ts';

const decide = createDecide(BUILT_IN_GATES);
const target = idOf('t00003');
const REST = { type: 'staged', stages: [], maxConcurrency: 50, maxUnavailable: '80%', minAvailable: 1 };

const HAPPENINGS: readonly { why: string; event: RolloutEvent }[] = [
  { why: 'a delivery', event: { kind: 'delivered', target, changed: true } },
  { why: 'a failure', event: { kind: 'generateFailed', target, message: 'no' } },
  {
    why: 'health',
    event: { kind: 'healthChanged', target: idOf('t00070'), health: 'Degraded', revision: REVISION },
  },
  { why: 'an unchanged one', event: { kind: 'delivered', target, changed: false } },
  { why: 'offline', event: { kind: 'connectionChanged', target, isOnline: false } },
  {
    why: 'one that waits and is offline',
    event: { kind: 'connectionChanged', target: idOf('t00070'), isOnline: false },
  },
  { why: 'the clock', event: { kind: 'clock' } },
  { why: 'a leave', event: { kind: 'membershipChanged', joined: [], left: [target] } },
  {
    why: 'a join',
    event: { kind: 'membershipChanged', joined: [{ ...factsOf({ name: 'new' }), labels: {} }], left: [] },
  },
];

const ROLLOUTS = {
  small: started(100),
  large: started(10_000),
};

for (const { why, event } of HAPPENINGS) {
  test(`${why} costs the same in a fleet of 100 and of 10,000`, () => {
    const small = readsOf(ROLLOUTS.small, event);
    const large = readsOf(ROLLOUTS.large, event);
    // One more level of 32 slots in each map that is touched, and a few longer lists of them.
    assert.ok(large < 2.5 * small && large < 6_000, `${small} reads of the state, and ${large}`);
  });
}

function started(count: number): RolloutState {
  const state = rolloutOf(
    REST,
    namesOf(count).map((name) => ({ name })),
  );
  return decide(state, { kind: 'started' }, 0).state;
}

/** How many reads of the state happen, copies included. */
function readsOf(state: RolloutState, event: RolloutEvent): number {
  const counter = { reads: 0 };
  const seen = decide(counted(state, counter), event, 1);
  assert.notEqual(seen.state, state);
  return counter.reads;
}

function counted<T extends object>(value: T, counter: { reads: number }): T {
  return new Proxy(value, {
    get(object, key) {
      counter.reads += 1;
      const found: unknown = Reflect.get(object, key);
      if (typeof found !== 'object' || found === null) return found;
      return counted(found, counter);
    },
    ownKeys(object) {
      counter.reads += 1;
      return Reflect.ownKeys(object);
    },
  });
}
