import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Catalogue, FleetError } from '#kit/std';
import { memoryLogger } from '#kit/telemetry/testing';
import { FakeClock } from '#testing/fake-clock';
import type { KubeClient } from '../../client/kube-client.ts';
import { EventRecorder } from './event-recorder.ts';

const ERRORS = {
  NOT_FOUND: { category: 'not-found', retry: 'never' },
  FORBIDDEN: { category: 'forbidden', retry: 'after-change' },
  ALREADY_EXISTS: { category: 'conflict', retry: 'never' },
  OUTCOME_UNKNOWN: { category: 'unavailable', retry: 'after-change' },
  UNAVAILABLE: { category: 'unavailable', retry: 'later' },
} as const satisfies Catalogue;

class Refusal extends FleetError<keyof typeof ERRORS> {
  get entry() {
    return ERRORS[this.code];
  }
}

type Answer = (call: string, signal: AbortSignal) => Promise<unknown>;

/** Records `create name` and `patch name`, in order, and responds as specified. */
function server(answer: Answer = () => Promise.resolve()) {
  const calls: string[] = [];
  const arrived = new Map<number, () => void>();
  const call = async (text: string, signal: AbortSignal): Promise<unknown> => {
    calls.push(text);
    arrived.get(calls.length)?.();
    return await answer(text, signal);
  };
  const client = {
    create: (_: unknown, object: { reason?: string }, __: unknown, signal: AbortSignal) =>
      call(`create ${object.reason}`, signal),
    patch: (ref: { name: string }, _: unknown, __: unknown, signal: AbortSignal) =>
      call(`patch ${ref.name.split('.')[0]}`, signal),
  } as unknown as Pick<KubeClient, 'create' | 'patch'>;
  const until = (count: number): Promise<void> =>
    calls.length >= count ? Promise.resolve() : new Promise((resolve) => arrived.set(count, resolve));
  return { client, calls, until };
}

function pod(name = 'web') {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'one', uid: `uid-${name}` } };
}

function note(reason: string) {
  return { type: 'Normal', reason, message: `it was ${reason}` } as const;
}

function recorder(client: Pick<KubeClient, 'create' | 'patch'>, capacity?: number) {
  const clock = new FakeClock();
  const { log, lines } = memoryLogger();
  const source = { component: 'painter', instance: 'pod-1' };
  const options = capacity === undefined ? {} : { capacity };
  const subject = new EventRecorder({ client, source, log, clock, sleep: clock.sleep, random: () => 0.5, ...options });
  const stop = new AbortController();
  return { subject, clock, lines, stop };
}

test('events are written in order, the same one counted, and a stop ends it', async () => {
  const { client, calls, until } = server();
  const { subject, stop } = recorder(client);
  const running = subject.run(stop.signal);
  for (const reason of ['Painted', 'Primed', 'Painted']) subject.record(pod(), note(reason));
  await until(3);
  stop.abort();
  await running;
  assert.deepEqual(calls, ['create Painted', 'create Primed', 'patch web']);
  assert.deepEqual(subject.counts, { written: 3, dropped: 0, skipped: 0, refused: 0 });
});

test('what waits at a stop is written; what comes after it is dropped', async () => {
  const { client, calls } = server();
  const { subject, stop } = recorder(client);
  subject.record(pod(), note('Painted'));
  subject.record(pod('db'), note('Primed'));
  stop.abort();
  await subject.run(stop.signal);
  assert.deepEqual(calls, ['create Painted', 'create Primed']);
  subject.record(pod(), note('Late'));
  await Promise.resolve();
  assert.equal(subject.counts.dropped, 1);
});

test('when nobody writes, the oldest give way and are counted', async () => {
  const { client, calls } = server();
  const { subject, stop } = recorder(client, 2);
  for (const reason of ['A', 'B', 'C', 'D']) subject.record(pod(), note(reason));
  stop.abort();
  await subject.run(stop.signal);
  assert.deepEqual(calls, ['create C', 'create D']);
  assert.equal(subject.counts.dropped, 2);
});

test('an event that the server has forgotten is created again', async () => {
  const { client, calls } = server((call) =>
    call.startsWith('patch') ? Promise.reject(new Refusal('NOT_FOUND', 'patch')) : Promise.resolve(),
  );
  const { subject, stop } = recorder(client);
  subject.record(pod(), note('Painted'));
  subject.record(pod(), note('Painted'));
  stop.abort();
  await subject.run(stop.signal);
  assert.deepEqual(calls, ['create Painted', 'patch web', 'create Painted']);
  assert.equal(subject.counts.written, 2);
});

test('what the server refuses is dropped with a word, and the next one is written', async () => {
  const { client, until, calls } = server((call) =>
    call === 'create Painted' ? Promise.reject(new Refusal('FORBIDDEN', 'create')) : Promise.resolve(),
  );
  const { subject, stop, lines } = recorder(client);
  const running = subject.run(stop.signal);
  subject.record(pod(), note('Painted'));
  subject.record(pod(), note('Primed'));
  await until(2);
  stop.abort();
  await running;
  assert.deepEqual(calls, ['create Painted', 'create Primed']);
  assert.deepEqual(subject.counts, { written: 1, dropped: 0, skipped: 0, refused: 1 });
  assert.deepEqual(
    lines.map(({ level, subject: about }) => [level, about]),
    [['warn', 'Pod/web']],
  );
});

test('an unreachable server is tried again, and a stop does not wait for it', async () => {
  let isUp = false;
  const { client, calls } = server(() =>
    isUp ? Promise.resolve() : Promise.reject(new Refusal('UNAVAILABLE', 'create')),
  );
  const { subject, stop, clock } = recorder(client);
  const running = subject.run(stop.signal);
  subject.record(pod(), note('Painted'));
  await clock.untilSleeping();
  isUp = true;
  await clock.advance(1_000);
  assert.deepEqual(calls, ['create Painted', 'create Painted']);
  assert.equal(subject.counts.written, 1);
  isUp = false;
  subject.record(pod(), note('Primed'));
  await clock.untilSleeping();
  stop.abort();
  await running;
  assert.equal(subject.counts.dropped, 1);
});

test('an answer that was lost is asked for again, and an event that had arrived is written', async () => {
  const answers = [new Refusal('OUTCOME_UNKNOWN', 'create'), new Refusal('ALREADY_EXISTS', 'create')];
  const { client, calls } = server(() => {
    const error = answers.shift();
    return error ? Promise.reject(error) : Promise.resolve();
  });
  const { subject, stop, clock, lines } = recorder(client);
  const running = subject.run(stop.signal);
  subject.record(pod(), note('Painted'));
  await clock.untilSleeping();
  await clock.advance(1_000);
  stop.abort();
  await running;
  assert.deepEqual(calls, ['create Painted', 'create Painted']);
  assert.equal(subject.counts.written, 1);
  assert.deepEqual(lines, []);
});

test('too many about one object are skipped and counted', async () => {
  const { client } = server();
  const { subject, stop } = recorder(client);
  for (let index = 0; index < 30; index++) subject.record(pod(), note('Painted'));
  stop.abort();
  await subject.run(stop.signal);
  assert.deepEqual(subject.counts, { written: 25, dropped: 0, skipped: 5, refused: 0 });
});
