import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventCorrelator } from './event-correlator.ts';
import { buildEvent, type KubeEvent } from './kube-event.ts';

const MINUTE = 60_000;
const START = Date.UTC(2030, 0, 1);
const source = { component: 'painter', instance: 'pod-1' };
let nextId = 0;

function event(message: string, time: number, name = 'web'): KubeEvent {
  const about = { apiVersion: 'v1', kind: 'Pod', name, namespace: 'one', uid: `uid-${name}` };
  nextId += 1;
  return buildEvent({ about, note: { type: 'Normal', reason: 'Painted', message }, time, id: String(nextId) }, source);
}

test('the first is created, the same again is counted on it, and has its own last time', () => {
  const correlator = new EventCorrelator();
  const first = correlator.decide(event('red', START), START);
  const again = correlator.decide(event('red', START + MINUTE), START + MINUTE);
  assert.ok(first.kind === 'create' && again.kind === 'patch');
  assert.deepEqual(again.patch, {
    type: 'merge',
    patch: { count: 2, lastTimestamp: '2030-01-01T00:01:00Z', message: 'red' },
  });
  assert.deepEqual(again.event.metadata, first.event.metadata);
  assert.equal(again.event.firstTimestamp, '2030-01-01T00:00:00Z');
});

test('another type, reason or object is another event', () => {
  const correlator = new EventCorrelator();
  const base = event('red', START);
  const others = [{ ...base, type: 'Warning' as const }, { ...base, reason: 'Primed' }, event('red', START, 'db')];
  for (const each of [base, ...others]) assert.equal(correlator.decide(each, START).kind, 'create');
});

test('the tenth different message within ten minutes of the last combines, and the next ones are counted on it', () => {
  const correlator = new EventCorrelator();
  const kinds: string[] = [];
  for (let index = 0; index < 12; index++) {
    const now = START + index * 9 * MINUTE;
    const decision = correlator.decide(event(`shade ${index}`, now), now);
    kinds.push(decision.kind);
    if (index < 9 || decision.kind === 'skip') continue;
    assert.equal(decision.event.message, `(combined from similar events): shade ${index}`);
    assert.equal(decision.event.count, index - 8);
  }
  assert.deepEqual(kinds, [...Array.from({ length: 10 }, () => 'create'), 'patch', 'patch']);
});

test('after ten quiet minutes nothing is combined any more', () => {
  const correlator = new EventCorrelator();
  for (let index = 0; index < 10; index++) correlator.decide(event(`shade ${index}`, START), START);
  const now = START + 10 * MINUTE + 1;
  const decision = correlator.decide(event('fresh', now), now);
  assert.ok(decision.kind === 'create' && decision.event.message === 'fresh');
});

test('of one object 25 pass at once, then one in five minutes; what was skipped is in the count', () => {
  const correlator = new EventCorrelator();
  const at = (now: number) => correlator.decide(event('red', now), now);
  const burst = Array.from({ length: 40 }, () => at(START).kind);
  assert.deepEqual(
    burst.map((kind) => kind !== 'skip'),
    burst.map((_, index) => index < 25),
  );
  assert.equal(correlator.decide(event('red', START, 'db'), START).kind, 'create', 'others are not held responsible');
  assert.equal(at(START + 5 * MINUTE - 1).kind, 'skip');
  const late = at(START + 5 * MINUTE);
  assert.ok(late.kind === 'patch' && late.event.count === 42);
  assert.equal(at(START + 5 * MINUTE).kind, 'skip');
});

for (const { why, name, want } of [
  { why: 'a name as it is', name: 'web-0', want: /^web-0\.[0-9]+$/ },
  { why: 'a name that an Event cannot have', name: 'System:Node', want: /^system-node\.[0-9]+$/ },
  { why: 'a name that leaves no room', name: 'x'.repeat(253), want: /^x{240,}\.[0-9]+$/ },
  { why: 'a cut that would end in a dash', name: `${'x'.repeat(240)}${'-'.repeat(12)}y`, want: /^x{240}\.[0-9]+$/ },
]) {
  test(`an event is named after its object: ${why}`, () => {
    const { metadata } = event('red', START, name);
    assert.match(metadata.name, want);
    assert.ok(metadata.name.length <= 253);
  });
}

test('an event about something in no namespace is in the default one', () => {
  const about = { apiVersion: 'v1', kind: 'Node', name: 'n' };
  const note = { type: 'Warning', reason: 'Broken', message: 'm'.repeat(2000) } as const;
  const built = buildEvent({ about, note, time: START, id: '1' }, source);
  assert.equal(built.metadata.namespace, 'default');
  assert.equal(built.message.length, 1024);
});
