import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Payload } from '#kit/durable';
import type { SeededRandom } from '#testing/seeded';
import type { SoakCase } from '#testing/soak';
import { readEffects } from './effects.ts';
import { liveOnce } from './executor-life.ts';
import type { Death, WorkflowOutcome } from './executor-protocol.ts';
import { assertConsistent, assertRecordedOnce, normalised } from './verify.ts';
import { makeWorkload, type Workload } from './workload.ts';

/** An engine that can be killed. */
export interface KillSubject {
  /** Runs `runExecutor`. */
  readonly program: URL;
  /** Whether it reports its writes, so that it can be killed at one. */
  readonly tellsWrites: boolean;
  /** How long a life is busy at most, so that it is killed while busy. */
  readonly busyMs: number;
  /** Kills per case that kills at random. */
  readonly randomKills: number;
  /** Storage for the data of one case. */
  fresh(): Promise<{ readonly place: Payload; dispose(): Promise<void> }>;
}

/**
 * Runs one workload twice, undisturbed and with the executor killed repeatedly; both must have the same result. Cases
 * with an even seed kill it once at every step boundary, the others at random. Returns the number of kills.
 */
export async function killCase(subject: KillSubject, { seed, random, signal }: SoakCase): Promise<number> {
  const walks = seed % 2 === 0;
  const workload = makeWorkload(random, { small: walks });
  const folder = mkdtempSync(join(tmpdir(), 'fleetshift-kill-'));
  try {
    const inPeace = await live(subject, { folder, workload, random, deaths: [] }, signal);
    const deaths = walks ? everyBoundary() : atRandom(subject, random);
    const killed = await live(subject, { folder, workload, random, deaths }, signal);
    assert.deepEqual(normalised(killed.outcomes), normalised(inPeace.outcomes));
    return killed.kills;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Lives {
  readonly folder: string;
  readonly workload: Workload;
  readonly random: SeededRandom;
  readonly deaths: Iterable<Death>;
}

interface Lived {
  readonly outcomes: readonly WorkflowOutcome[];
  readonly kills: number;
}

/** Life after life on the same data, until everything is done. */
async function live(subject: KillSubject, lives: Lives, signal: AbortSignal): Promise<Lived> {
  const { workload, random, deaths } = lives;
  const folder = mkdtempSync(join(lives.folder, 'lives-'));
  const data = await subject.fresh();
  try {
    const signals = [...workload.signals];
    let kills = 0;
    for (const death of thenInPeace(deaths)) {
      const orders = { workload, death, folder, place: data.place };
      const outcomes = await liveOnce({ program: subject.program, orders, signals, random }, signal);
      if (outcomes !== undefined) {
        assertConsistent(outcomes);
        assertRecordedOnce(outcomes, readEffects(folder));
        return { outcomes, kills };
      }
      kills += 1;
    }
    throw new Error('somebody else killed the executor');
  } finally {
    await data.dispose();
  }
}

function* thenInPeace(deaths: Iterable<Death>): Generator<Death> {
  yield* deaths;
  yield { at: 'end' };
}

function* everyBoundary(): Generator<Death> {
  for (;;) yield { at: 'boundary', skip: 0 };
}

function* atRandom({ tellsWrites, busyMs, randomKills }: KillSubject, random: SeededRandom): Generator<Death> {
  for (let kills = 0; kills < randomKills; kills += 1) {
    const at = random.pick(tellsWrites ? (['write', 'boundary', 'time'] as const) : (['boundary', 'time'] as const));
    if (at === 'write') yield { at, count: random.integer(1, 5), after: random.next() < 0.5 };
    else if (at === 'boundary') yield { at, skip: random.integer(0, 5) };
    else yield { at, ms: random.integer(0, busyMs) };
  }
}
