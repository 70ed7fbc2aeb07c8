import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { EventCorrelator, type EventDecision } from './event-correlator.ts';
import { sameKey, similarKey } from './event-keys.ts';
import { buildEvent, type KubeEvent } from './kube-event.ts';

const MINUTE = 60_000;
const source = { component: 'painter', instance: 'pod-1' };

interface Seen {
  readonly event: KubeEvent;
  readonly now: number;
  readonly decision: EventDecision;
}

/** Steps of up to a quarter of an hour, sometimes backwards, about few objects and with few or many messages. */
const history = fc.array(
  fc.record({
    object: fc.constantFrom('web', 'db'),
    reason: fc.constantFrom('Painted', 'Primed'),
    message: fc.oneof(fc.constantFrom('red', 'green'), fc.nat(40).map(String)),
    passed: fc.oneof({ weight: 5, arbitrary: fc.nat(MINUTE) }, fc.integer({ min: -MINUTE, max: 15 * MINUTE })),
  }),
  { maxLength: 150 },
);
type Step = typeof history extends fc.Arbitrary<(infer S)[]> ? S : never;

function play(steps: readonly Step[]): Seen[] {
  const correlator = new EventCorrelator();
  let now = Date.UTC(2030, 0, 1);
  return steps.map(({ object, reason, message, passed }, index) => {
    now += passed;
    const about = { apiVersion: 'v1', kind: 'Pod', name: object, namespace: 'one' };
    const note = { type: 'Normal', reason, message } as const;
    const event = buildEvent({ about, note, time: now, id: index.toString(16) }, source);
    return { event, now, decision: correlator.decide(event, now) };
  });
}

test('safety: an object never has more writes than its burst and what time has refilled', () => {
  fc.assert(
    fc.property(history, (steps) => {
      const seen = play(steps);
      const written = new Map<string, number>();
      let passed = 0;
      for (const [index, { event, now, decision }] of seen.entries()) {
        passed += Math.max(0, now - (seen[index - 1]?.now ?? now));
        if (decision.kind === 'skip') continue;
        const { name } = event.involvedObject;
        const count = (written.get(name) ?? 0) + 1;
        written.set(name, count);
        assert.ok(count <= 25 + passed / (5 * MINUTE));
      }
    }),
  );
});

test('a name is created once, and only what was created or skipped before is patched, with a count that grows', () => {
  fc.assert(
    fc.property(history, (steps) => {
      const counts = new Map<string, number>();
      for (const { decision } of play(steps)) {
        if (decision.kind === 'skip') continue;
        const { metadata, count } = decision.event;
        const before = counts.get(metadata.name);
        if (decision.kind === 'create') assert.equal(before, undefined);
        assert.ok(count > (before ?? 0));
        counts.set(metadata.name, count);
      }
    }),
  );
});

test('what is written says what happened: the same object, reason and message, alone or combined', () => {
  fc.assert(
    fc.property(history, (steps) => {
      for (const { event, decision } of play(steps)) {
        if (decision.kind === 'skip') continue;
        const { message } = decision.event;
        const combined = `(combined from similar events): ${event.message}`;
        assert.ok(message === event.message || message === combined);
        assert.equal(similarKey(decision.event), similarKey(event));
        assert.equal(decision.event.lastTimestamp, event.lastTimestamp);
      }
    }),
  );
});

test('an event on its own counts how often exactly it was seen', () => {
  fc.assert(
    fc.property(history, (steps) => {
      const seen = new Map<string, number>();
      const isAlone = new Set<string>();
      for (const { event } of play(steps)) isAlone.add(sameKey(event));
      // Fewer than ten messages in all: nothing is ever combined.
      fc.pre(isAlone.size < 10);
      for (const { event, decision } of play(steps)) {
        const count = (seen.get(sameKey(event)) ?? 0) + 1;
        seen.set(sameKey(event), count);
        if (decision.kind !== 'skip') assert.equal(decision.event.count, count);
      }
    }),
  );
});
