import type { Need } from './needs.ts';
import type { Job } from './plan.ts';

export interface ScheduleOptions {
  readonly slots: number;
  /** Resolves when the server or program is ready; rejects if it could not be prepared. */
  readonly ready: (need: Need) => Promise<void>;
  readonly run: (job: Job) => Promise<void>;
}

/**
 * Runs all jobs, a few at once. A free slot takes the first job whose servers are ready, so that tests run while programs
 * for others are still being built. If a job's server cannot be prepared, the whole run throws.
 */
export async function schedule(jobs: readonly Job[], { slots, ready, run }: ScheduleOptions): Promise<void> {
  const waiting = new Set(jobs);
  const there = new Set<Need>();
  const needs = new Set(jobs.flatMap((job) => job.needs));
  const running = new Set<Promise<void>>();
  const pending = new Map<Need, Promise<void>>();
  for (const need of needs) {
    const arrived = ready(need).then(() => {
      there.add(need);
      pending.delete(need);
    });
    // Awaited below; this prevents an unhandled rejection before that.
    arrived.catch(() => {});
    pending.set(need, arrived);
  }
  while (waiting.size > 0 || running.size > 0) {
    const job = running.size < slots ? waiting.values().find(isReady) : undefined;
    if (job !== undefined) {
      waiting.delete(job);
      const done: Promise<void> = run(job).finally(() => running.delete(done));
      running.add(done);
    } else {
      await Promise.race([...running, ...pending.values()]);
    }
  }

  function isReady(job: Job): boolean {
    return job.needs.every((need) => there.has(need));
  }
}
