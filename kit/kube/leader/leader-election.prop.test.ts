import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { FakeClock } from '#testing/fake-clock';
import { type MemoryFaults, MemoryKube } from '../cache/testing/memory-kube.ts';
import { KubeError } from '../kube-error.ts';
import { createLeaderElection } from './leader-election.ts';

const CANDIDATES = 3;
/** How long the work continues after it was cut: less than the time between the renewal deadline and the end of the lease. */
const LINGER_MS = 4_500;

const FAULTS = ['none', 'refused', 'lost', 'late request', 'late answer', 'hung'] as const;
const fault = fc.constantFrom(...FAULTS);
const step = fc.record({
  faults: fc.tuple(fault, fault, fault),
  skewsMs: fc.tuple(skew(), skew(), skew()),
  restart: fc.option(fc.nat(CANDIDATES - 1), { freq: 4 }),
  ms: fc.integer({ min: 1_000, max: 20_000 }),
});

function skew() {
  return fc.integer({ min: -7_200_000, max: 7_200_000 });
}

/** A candidate that restarts whenever it ends, with its own network and wall clock. */
class Candidate {
  readonly #house: House;
  readonly #name: string;
  #stop = new AbortController();
  fault: (typeof FAULTS)[number] = 'none';
  skewMs = 0;

  constructor(house: House, name: string) {
    this.#house = house;
    this.#name = name;
  }

  restart(): void {
    this.#stop.abort(new Error('restart'));
  }

  async run(until: AbortSignal): Promise<void> {
    const { clock, kube } = this.#house;
    while (!until.aborted) {
      this.#stop = new AbortController();
      const election = createLeaderElection({
        client: kube.client(this.#faults()),
        namespace: 'system',
        name: 'one',
        identity: this.#name,
        clock,
        // Notices an expired lease quickly, so that overlapping leaders would not stay undetected by luck.
        retryPeriodMs: 500,
        wallClock: { now: () => clock.now() + this.skewMs },
        sleep: clock.sleep,
        work: () => [{ name: 'work', run: (asked) => this.#work(asked) }],
      });
      await election.run(AbortSignal.any([until, this.#stop.signal])).catch(() => undefined);
      await clock.sleep(1_000, until).catch(() => undefined);
    }
  }

  async #work(asked: AbortSignal): Promise<void> {
    const { clock, working, overlaps } = this.#house;
    if (working.size > 0) overlaps.push(`${this.#name} works while ${[...working].join()} does`);
    working.add(this.#name);
    await clock.sleep(1e12, asked).catch(() => undefined);
    await clock.sleep(LINGER_MS, new AbortController().signal);
    working.delete(this.#name);
  }

  #faults(): MemoryFaults {
    const { clock } = this.#house;
    const refuse = (): Promise<void> => Promise.reject(new KubeError('CONNECTION_REFUSED', 'ask'));
    return {
      before: async (_, signal) => {
        if (this.fault === 'refused') return refuse();
        if (this.fault === 'late request') await clock.sleep(4_000, signal);
        if (this.fault === 'hung') await clock.sleep(1e9, signal);
      },
      after: async (_, signal) => {
        if (this.fault === 'lost') throw new KubeError('OUTCOME_UNKNOWN', 'ask');
        if (this.fault === 'late answer') await clock.sleep(4_000, signal);
      },
    };
  }
}

class House {
  readonly clock = new FakeClock();
  readonly kube = new MemoryKube();
  readonly working = new Set<string>();
  readonly overlaps: string[] = [];
  readonly candidates = Array.from({ length: CANDIDATES }, (_, number) => new Candidate(this, `c${number}`));
}

test('whatever the network and the clocks do: never two at work, and one again when all is well', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 15 }), async (steps) => {
      const house = new House();
      const stop = new AbortController();
      const running = house.candidates.map((candidate) => candidate.run(stop.signal));
      await turn();
      for (const { faults, skewsMs, restart, ms } of steps) {
        house.candidates.forEach((candidate, number) => {
          candidate.fault = faults[number] ?? 'none';
          candidate.skewMs = skewsMs[number] ?? 0;
          if (restart === number) candidate.restart();
        });
        await house.clock.advance(ms);
        assert.deepEqual(house.overlaps, []);
      }
      for (const candidate of house.candidates) candidate.fault = 'none';
      await house.clock.advance(40_000);
      assert.equal(house.working.size, 1, 'nobody works though nothing is in the way');
      stop.abort(new Error('enough'));
      await house.clock.advance(30_000);
      await Promise.all(running);
      assert.deepEqual(house.overlaps, []);
    }),
    { numRuns: 60 },
  );
});
