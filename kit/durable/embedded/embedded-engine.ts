import {
  type BackoffPolicy,
  backoffDelay,
  type Clock,
  Notifier,
  type Random,
  sleep as realSleep,
  type Sleep,
  systemClock,
} from '#kit/std';
import { type Storage, StorageError } from '#kit/storage';
import type { DurableEngine, Registry } from '../engine.ts';
import { ActivityRunner } from './activity-runner.ts';
import { EmbeddedClient } from './embedded-client.ts';
import { Executor } from './executor.ts';
import type { ExecutorFact } from './executor-fact.ts';
import { Journal } from './journal.ts';
import { claimLease } from './lease.ts';
import { keepForgetting, type RetentionOptions } from './retention.ts';
import { Tenure } from './tenure.ts';
import { FencedOut } from './turn-writer.ts';

const GIVE_BACK_MS = 1_000;
const TROUBLE: BackoffPolicy = { baseMs: 100, capMs: 5_000 };

export interface EmbeddedEngineOptions {
  readonly storage: Storage;
  readonly registry: Registry;
  readonly clock?: Clock;
  readonly sleep?: Sleep;
  readonly random?: Random;
  /** An executor without a heartbeat for this long is considered dead, and a standby takes over. */
  readonly leaseMs?: number;
  /**
   * Identifies a resource that only one process can hold at a time, such as a locked folder. After a kill, the next
   * process with the same seat starts at once, without waiting for the lease to expire.
   */
  readonly seat?: string;
  /** Concurrent activities, over all workflows. */
  readonly activities?: number;
  /** How long an ended workflow is kept. */
  readonly retentionMs?: number;
  /** Receives events for logs and metrics; must not throw. */
  readonly onFact?: (fact: ExecutorFact) => void;
}

/** An engine on our own storage: one executor at a time, and every other process on the database is a standby. */
export function createEmbeddedEngine(options: EmbeddedEngineOptions): DurableEngine {
  const settings = { ...DEFAULTS, ...options };
  const { storage, registry, clock } = settings;
  const workflows = byName(registry.workflows, 'workflow');
  const implementations = byName(registry.activities, 'activity');
  return {
    client: new EmbeddedClient({ storage, workflows, clock }),
    run: async (signal) => {
      const activities = { implementations, clock, random: settings.random, concurrency: settings.activities };
      // The seat is used only once: should two processes have the same seat after all, the one that lost the lease
      // waits like any other.
      let { seat } = options;
      const tenure = new Tenure(settings);
      const onRead = (fence: number | undefined): void => tenure.read(fence);
      for (let failures = 0; !signal.aborted; ) {
        try {
          const wake = new Notifier(settings.sleep);
          const lease = await claimLease({ ...settings, seat, onRead }, signal);
          seat = undefined;
          tenure.taken(lease.fence);
          failures = 0;
          const beatMs = storage.engine === 'sqlite' ? Number.POSITIVE_INFINITY : settings.leaseMs / 3;
          const runner = new ActivityRunner(activities);
          const executor = new Executor({
            ...settings,
            journal: new Journal(storage),
            workflows,
            activities: runner,
            wake,
            lease,
            beatMs,
          });
          await executeAndForget(executor, settings, signal);
          // If this fails, a standby waits until the lease expires, which does no harm.
          await lease.giveBack(AbortSignal.timeout(GIVE_BACK_MS)).catch(() => {});
        } catch (error) {
          if (signal.aborted) return;
          failures = await recover(error, { ...settings, failures, tenure }, signal);
        }
      }
    },
  };
}

async function executeAndForget(executor: Executor, retention: RetentionOptions, signal: AbortSignal): Promise<void> {
  const stop = new AbortController();
  const forgetting = keepForgetting(retention, AbortSignal.any([signal, stop.signal]));
  try {
    await executor.run(signal);
  } finally {
    stop.abort();
    await forgetting;
  }
}

const DEFAULTS = {
  clock: systemClock,
  sleep: realSleep,
  random: Math.random,
  leaseMs: 3_000,
  activities: 1_000,
  retentionMs: 7 * 24 * 3_600_000,
  onFact: () => {},
};

interface Recovery {
  readonly failures: number;
  readonly tenure: Tenure;
  readonly random: Random;
  readonly sleep: Sleep;
  readonly onFact: (fact: ExecutorFact) => void;
}

/** Waits before restarting from the stored state; rethrows errors that a retry cannot fix. */
async function recover(
  error: unknown,
  { failures, tenure, random, sleep, onFact }: Recovery,
  signal: AbortSignal,
): Promise<number> {
  const passes = error instanceof FencedOut || (error instanceof StorageError && error.entry.retry !== 'never');
  if (!passes) throw error;
  const retryInMs = backoffDelay(TROUBLE, failures + 1, random);
  onFact({ kind: 'interrupted', error, retryInMs });
  tenure.interrupted(error);
  await sleep(retryInMs, signal).catch(() => {});
  return failures + 1;
}

function byName<T extends { readonly name: string }>(items: readonly T[], what: string): ReadonlyMap<string, T> {
  const map = new Map(items.map((item) => [item.name, item]));
  if (map.size < items.length) throw new RangeError(`two of one name in the registry: each ${what} has its own`);
  return map;
}
