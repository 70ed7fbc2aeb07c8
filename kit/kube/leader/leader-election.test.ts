import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { createMetrics } from '#kit/telemetry/metrics';
import { memoryLogger } from '#kit/telemetry/testing';
import { FakeClock } from '#testing/fake-clock';
import { type MemoryFaults, MemoryKube } from '../cache/testing/memory-kube.ts';
import { CORE } from '../client/core-resources.ts';
import { KubeError } from '../kube-error.ts';
import { createLeaderElection, type LeaderElectionOptions } from './leader-election.ts';
import { LeaderError } from './leader-error.ts';
import { leaderGauge } from './leader-gauge.ts';
import type { Lease } from './lease.ts';

const signal = new AbortController().signal;
const ref = { resource: CORE.leases, namespace: 'system', name: 'one' };

class House {
  readonly clock = new FakeClock();
  readonly kube = new MemoryKube();
  readonly seen: string[] = [];

  /** A candidate whose work records when it begins, is asked to stop, is cut and ends. */
  candidate(identity: string, faults: MemoryFaults = {}, options: Partial<LeaderElectionOptions> = {}) {
    const note = (what: string): number => this.seen.push(`${this.clock.now() - this.#begun} ${identity} ${what}`);
    const stop = new AbortController();
    const { log, lines } = memoryLogger();
    const end = Promise.withResolvers<void>();
    const election = createLeaderElection({
      client: this.kube.client(faults),
      namespace: ref.namespace,
      name: ref.name,
      identity,
      clock: this.clock,
      wallClock: this.clock,
      sleep: this.clock.sleep,
      random: () => 0,
      log,
      work: (lost) => [
        {
          name: 'work',
          run: async (asked) => {
            note('works');
            await new Promise<void>((resolve, reject) => {
              asked.addEventListener('abort', () => resolve(), { once: true });
              end.promise.then(resolve, reject);
            });
            note(lost.aborted ? 'is cut' : 'stops');
          },
        },
      ],
      ...options,
    });
    const running = election.run(stop.signal);
    // Tests await the end later; this prevents an unhandled rejection.
    running.catch(() => undefined);
    return { running, lines, end, stop: () => stop.abort(new Error('stop')) };
  }

  lease(): Promise<Lease> {
    return this.kube.client().get<Lease>(ref, signal);
  }

  readonly #begun = this.clock.now();
}

test('the first to come leads, renews, and releases when it stops; the next takes over at once', async () => {
  const house = new House();
  const a = house.candidate('a');
  await turn();
  const b = house.candidate('b');
  await turn();
  const first = (await house.lease()).spec;
  assert.match(first?.holderIdentity ?? '', /^a_[0-9a-f-]{36}$/);
  assert.deepEqual([first?.leaseDurationSeconds, first?.leaseTransitions], [15, 0]);
  assert.match(first?.renewTime ?? '', /^2030-01-01T00:00:00\.000\d{3}Z$/);
  await house.clock.advance(60_000);
  const later = (await house.lease()).spec;
  assert.equal(later?.acquireTime, first?.acquireTime);
  assert.notEqual(later?.renewTime, first?.renewTime);
  a.stop();
  await a.running;
  assert.equal((await house.lease()).spec?.holderIdentity, undefined);
  await house.clock.advance(2_000);
  assert.deepEqual(house.seen, ['0 a works', '60000 a stops', '62000 b works']);
  assert.equal((await house.lease()).spec?.leaseTransitions, 1);
  b.stop();
  await b.running;
  assert.equal(house.clock.sleeping, 0, 'no wait is left behind');
});

test('a leader that is gone without a word is succeeded when its lease has run out, by the clock of the successor', async () => {
  const house = new House();
  const gone = new AbortController();
  const dead: MemoryFaults = {
    before: (_, aborted) => (gone.signal.aborted ? until(aborted) : Promise.resolve()),
  };
  const a = house.candidate('a', dead);
  await turn();
  // The clocks of the two differ by an hour, which must not matter.
  const wallClock = { now: () => house.clock.now() + 3_600_000 };
  const b = house.candidate('b', {}, { wallClock });
  await house.clock.advance(10_000);
  gone.abort();
  await house.clock.advance(30_000);
  const error = await a.running.catch((it: unknown) => it);
  assert.ok(error instanceof LeaderError && error.code === 'LEASE_LOST', String(error));
  assert.deepEqual(house.seen.slice(0, 2), ['0 a works', '20000 a is cut']);
  const [took = ''] = house.seen[2]?.split(' ') ?? [];
  assert.ok(Number(took) >= 25_000 && Number(took) <= 29_000, `taken over at ${took}`);
  b.stop();
  await b.running;
});

function until(aborted: AbortSignal): Promise<never> {
  return new Promise((_, reject) => aborted.addEventListener('abort', () => reject(aborted.reason), { once: true }));
}

test('a request that ignores its signal holds up neither the deadline nor the stop of the work', async () => {
  const house = new House();
  let hung = false;
  const a = house.candidate('a', { before: () => (hung ? new Promise(() => undefined) : Promise.resolve()) });
  await turn();
  hung = true;
  await house.clock.advance(10_000);
  await assert.rejects(a.running, { code: 'LEASE_LOST' });
  assert.deepEqual(house.seen, ['0 a works', '10000 a is cut']);
});

test('the deadline counts from when the renewal was sent: others count from when it was written', async () => {
  const house = new House();
  let writes = 0;
  const a = house.candidate('a', {
    before: () => (writes < 2 ? Promise.resolve() : new Promise(() => undefined)),
    after: async ({ verb }, aborted) => {
      if (verb === 'get') return;
      writes += 1;
      // The first renewal, sent after 2 s, is answered 4 s late, and it is the last.
      if (writes === 2) await house.clock.sleep(4_000, aborted);
    },
  });
  await turn();
  await house.clock.advance(12_000);
  await assert.rejects(a.running, { code: 'LEASE_LOST' });
  assert.deepEqual(house.seen, ['0 a works', '12000 a is cut']);
});

test('a short outage is lived through, and lost answers are found out about', async () => {
  const house = new House();
  let fault: 'none' | 'refused' | 'lost' = 'none';
  const a = house.candidate('a', {
    before: () => (fault === 'refused' ? Promise.reject(new KubeError('CONNECTION_REFUSED', 'x')) : Promise.resolve()),
    after: () => (fault === 'lost' ? Promise.reject(new KubeError('OUTCOME_UNKNOWN', 'x')) : Promise.resolve()),
  });
  await turn();
  for (const [kind, ms] of [
    ['refused', 7_000],
    ['none', 3_000],
    ['lost', 7_000],
    ['none', 20_000],
  ] as const) {
    fault = kind;
    await house.clock.advance(ms);
  }
  assert.deepEqual(house.seen, ['0 a works']);
  a.stop();
  await a.running;
  assert.equal((await house.lease()).spec?.holderIdentity, undefined);
});

test('a claim whose answer was lost is found to be ours', async () => {
  const house = new House();
  let lose = true;
  const a = house.candidate('a', {
    after: ({ verb }) => {
      if (verb !== 'create' || !lose) return Promise.resolve();
      lose = false;
      return Promise.reject(new KubeError('OUTCOME_UNKNOWN', 'x'));
    },
  });
  await turn();
  await house.clock.advance(2_000);
  assert.deepEqual(house.seen, ['2000 a works']);
  a.stop();
  await a.running;
});

test('a lease that another holds suddenly ends the work at the next renewal', async () => {
  const house = new House();
  const a = house.candidate('a');
  await turn();
  const lease = await house.lease();
  await house.kube.client().replace(ref, { ...lease, spec: { ...lease.spec, holderIdentity: 'x' } }, {}, signal);
  await house.clock.advance(2_000);
  await assert.rejects(a.running, { code: 'LEASE_LOST' });
  assert.equal((await house.lease()).spec?.holderIdentity, 'x');
});

test('a lease that somebody deleted is made anew', async () => {
  const house = new House();
  const a = house.candidate('a');
  await turn();
  await house.kube.client().delete(ref, {}, signal);
  await house.clock.advance(2_000);
  assert.match((await house.lease()).spec?.holderIdentity ?? '', /^a_/);
  a.stop();
  await a.running;
  assert.deepEqual(house.seen.length, 2);
});

test('the lease is renewed while the work stops, and released only then', async () => {
  const house = new House();
  const gate = Promise.withResolvers<void>();
  const a = house.candidate('a', {}, { work: () => [{ name: 'slow', run: () => gate.promise }] });
  await turn();
  a.stop();
  await house.clock.advance(20_000);
  assert.match((await house.lease()).spec?.holderIdentity ?? '', /^a_/);
  gate.resolve();
  await a.running;
  assert.equal((await house.lease()).spec?.holderIdentity, undefined);
});

test('work that ends badly ends the tenure, with its failure and a release', async () => {
  const house = new House();
  const a = house.candidate('a');
  await turn();
  a.end.reject(new Error('disk gone'));
  await assert.rejects(a.running, { code: 'RUNNABLE_FAILED' });
  assert.equal((await house.lease()).spec?.holderIdentity, undefined);
});

test('a candidate that is stopped leaves no claim behind, not even one that is on its way', async () => {
  const house = new House();
  const gate = Promise.withResolvers<void>();
  const a = house.candidate('a', { before: ({ verb }) => (verb === 'create' ? gate.promise : Promise.resolve()) });
  await turn();
  a.stop();
  gate.resolve();
  await assert.rejects(a.running, { message: 'stop' });
  assert.equal((await house.lease()).spec?.holderIdentity, undefined);
  assert.deepEqual(house.seen, []);
});

test('the gauge says who leads', async () => {
  const house = new House();
  const metrics = createMetrics();
  const gauge = leaderGauge(metrics);
  const a = house.candidate('a', {}, { gauge });
  await turn();
  assert.match(await metrics.text(), /^leader_election_master_status\{name="one"\} 1$/m);
  a.stop();
  await a.running;
  assert.match(await metrics.text(), /^leader_election_master_status\{name="one"\} 0$/m);
});

test('times that leave no room for the work to end are refused', () => {
  const client = new MemoryKube().client();
  const options = { client, namespace: 'x', name: 'y', work: () => [] };
  assert.throws(
    () => createLeaderElection({ ...options, leaseDurationMs: 10_000, renewDeadlineMs: 10_000 }),
    RangeError,
  );
  assert.throws(() => createLeaderElection({ ...options, renewDeadlineMs: 2_000 }), RangeError);
});
