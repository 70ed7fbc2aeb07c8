import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { PATIENCE_MS } from '#testing/patience';
import { type FaultCase, FaultStage, TROUBLES, type Trouble } from '../../cache/testing/fault-stage.ts';
import type { FlakyLine } from '../../cache/testing/flaky-line.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { waitFor } from '../../testing/wait-for.ts';
import { createLeaderElection } from '../leader-election.ts';

const CANDIDATES = 3;
const ROUNDS = 5;
/** Work that was cut still takes a moment to end. */
const LINGER_MS = 300;

/**
 * Candidates with short leases, each with its own connection and wall clock, on a server that is cut off, frozen and
 * restarted: two of them must never work at once, and without faults one must work.
 */
export async function leaderFaultCase(of: FaultCase): Promise<void> {
  const stage = await FaultStage.set(of);
  const stop = new AbortController();
  const floor = new Floor();
  const candidates = await Promise.all(
    Array.from({ length: CANDIDATES }, async (_, number) => {
      const { line, client } = await stage.behindLine();
      return new Candidate({ name: `c${number}`, namespace: stage.namespace, client, line, floor });
    }),
  );
  const running = candidates.map((candidate) => candidate.run(stop.signal));
  try {
    const more = [...TROUBLES, 'restart one', 'cut off', 'clock'] as const;
    for (const kind of stage.plan<LeaderTrouble>(['cut off', 'freeze', 'clock'], more, ROUNDS)) {
      await trouble(kind, stage, candidates);
      await stage.pause(0, 3_000);
    }
    for (const { line } of candidates) line.open();
    await waitFor(() => assert.equal(floor.working.size, 1), AbortSignal.timeout(PATIENCE_MS));
  } finally {
    stop.abort();
    await Promise.all(running);
    await stage.close();
  }
  assert.deepEqual(floor.overlaps, []);
}

class Floor {
  readonly working = new Set<string>();
  readonly overlaps: string[] = [];

  async work(name: string, asked: AbortSignal): Promise<void> {
    if (this.working.size > 0) this.overlaps.push(`${name} works while ${[...this.working].join()} does`);
    this.working.add(name);
    await new Promise<void>((resolve) => {
      if (asked.aborted) resolve();
      asked.addEventListener('abort', () => resolve(), { once: true });
    });
    await delay(LINGER_MS);
    this.working.delete(name);
  }
}

interface CandidateOptions {
  readonly name: string;
  readonly namespace: string;
  readonly client: KubeClient;
  readonly line: FlakyLine;
  readonly floor: Floor;
}

/** Restarts whenever it ends, like a Pod. */
class Candidate {
  readonly line: FlakyLine;
  readonly #options: CandidateOptions;
  #stop = new AbortController();
  skewMs = 0;

  constructor(options: CandidateOptions) {
    this.#options = options;
    this.line = options.line;
  }

  get works(): boolean {
    return this.#options.floor.working.has(this.#options.name);
  }

  restart(): void {
    this.#stop.abort(new Error('restart'));
  }

  async run(until: AbortSignal): Promise<void> {
    const { name, floor, ...lease } = this.#options;
    while (!until.aborted) {
      this.#stop = new AbortController();
      const election = createLeaderElection({
        ...lease,
        name: 'one',
        identity: name,
        leaseDurationMs: 3_000,
        renewDeadlineMs: 2_000,
        retryPeriodMs: 200,
        wallClock: { now: () => Date.now() + this.skewMs },
        work: () => [{ name: 'work', run: (asked) => floor.work(name, asked) }],
      });
      // After a loss or stop it starts again.
      await election.run(AbortSignal.any([until, this.#stop.signal])).catch(() => undefined);
    }
  }
}

type LeaderTrouble = Trouble | 'restart one' | 'cut off' | 'clock';

async function trouble(kind: LeaderTrouble, stage: FaultStage, candidates: readonly Candidate[]): Promise<void> {
  const { random } = stage;
  const candidate = random.pick(candidates);
  if (kind === 'restart one') candidate.restart();
  else if (kind === 'clock') candidate.skewMs = random.integer(-3_600_000, 3_600_000);
  else if (kind !== 'cut off') await stage.trouble(kind);
  else {
    // The leader, and perhaps one more.
    for (const one of candidates) if (one.works || one === candidate) one.line.block();
    await stage.pause(2_000, 6_000);
    for (const one of candidates) one.line.open();
  }
}
