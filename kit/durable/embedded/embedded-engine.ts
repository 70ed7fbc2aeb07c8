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
import { type Candidacy, LeaseError, Leases, type Term } from '#kit/storage/leases';
import type { DurableEngine, Registry } from '../engine.ts';
import { ActivityRunner } from './activity-runner.ts';
import { keepEarlierLease, takeEarlierLease } from './earlier-lease.ts';
import { EmbeddedClient } from './embedded-client.ts';
import { Executor } from './executor.ts';
import type { ExecutorFact } from './executor-fact.ts';
import { Journal } from './journal.ts';
import { keepForgetting, type RetentionOptions } from './retention.ts';

/** The process that leads for it executes all workflows on the database. */
export const EXECUTOR_ROLE = 'executor';

const LOOK_MS = 1_000;
const TROUBLE: BackoffPolicy = { baseMs: 100, capMs: 5_000 };

export interface EmbeddedEngineOptions {
  readonly storage: Storage;
  readonly registry: Registry;
  readonly clock?: Clock;
  readonly sleep?: Sleep;
  readonly random?: Random;
  /** Decide which process executes: the one that leads for `EXECUTOR_ROLE`. */
  readonly leases?: Candidacy;
  /** For an engine without `leases`, of its own: see there. */
  readonly leaseMs?: number;
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
      const lookMs = storage.engine === 'sqlite' ? Number.POSITIVE_INFINITY : LOOK_MS;
      let failures = 0;
      const execute = async (term: Term): Promise<void> => {
        const fenced = { ...settings, storage: term.storage };
        for (let isFirst = true; !term.signal.aborted; isFirst = false) {
          try {
            // What the interrupted executor still had under way does not commit after this.
            if (!isFirst) await term.advance(term.signal);
            await takeEarlierLease(term);
            settings.onFact({ kind: 'leading', epoch: term.epoch });
            failures = 0;
            await executeOnce(fenced, term.signal);
          } catch (error) {
            if (!term.signal.aborted) failures = await recover(error, { ...settings, failures }, term.signal);
          }
        }
        if (signal.aborted) return;
        settings.onFact({ kind: 'interrupted', error: term.signal.reason, retryInMs: 0 });
        settings.onFact({ kind: 'standing-by' });
      };
      const executeOnce = async (fenced: typeof settings, until: AbortSignal): Promise<void> => {
        const executor = new Executor({
          ...fenced,
          journal: new Journal(storage),
          workflows,
          activities: new ActivityRunner(activities),
          wake: new Notifier(settings.sleep),
          lookMs,
        });
        await executeAndForget(executor, fenced, until);
      };
      await withLeases(settings, signal, (leases, stop) => leases.lead(EXECUTOR_ROLE, execute, stop));
    },
  };
}

/** An engine without `leases` has its own, for as long as it runs. */
async function withLeases(
  settings: EmbeddedEngineOptions,
  signal: AbortSignal,
  run: (leases: Candidacy, stop: AbortSignal) => Promise<void>,
): Promise<void> {
  const { leases, storage, leaseMs, seat, sleep } = settings;
  if (leases !== undefined) return await run(leases, signal);
  const options = { storage, seat, ...(leaseMs !== undefined && { leaseMs }), ...(sleep !== undefined && { sleep }) };
  const own = new Leases(options);
  const over = new AbortController();
  const running = own.run(over.signal);
  try {
    await run(own, signal);
  } finally {
    over.abort(new Error('the engine has stopped'));
    await running;
  }
}

async function executeAndForget(executor: Executor, retention: RetentionOptions, signal: AbortSignal): Promise<void> {
  const stop = new AbortController();
  const ending = AbortSignal.any([signal, stop.signal]);
  const beside = [keepForgetting(retention, ending), keepEarlierLease(retention, ending)];
  try {
    await executor.run(signal);
  } finally {
    stop.abort();
    await Promise.all(beside);
  }
}

const DEFAULTS = {
  clock: systemClock,
  sleep: realSleep,
  random: Math.random,
  activities: 1_000,
  retentionMs: 7 * 24 * 3_600_000,
  onFact: () => {},
};

interface Recovery {
  readonly failures: number;
  readonly random: Random;
  readonly sleep: Sleep;
  readonly onFact: (fact: ExecutorFact) => void;
}

/** Waits before restarting from the stored state; rethrows errors that a retry cannot fix. */
async function recover(
  error: unknown,
  { failures, random, sleep, onFact }: Recovery,
  signal: AbortSignal,
): Promise<number> {
  const passes = error instanceof LeaseError || (error instanceof StorageError && error.entry.retry !== 'never');
  if (!passes) throw error;
  const retryInMs = backoffDelay(TROUBLE, failures + 1, random);
  onFact({ kind: 'interrupted', error, retryInMs });
  await sleep(retryInMs, signal).catch(() => {});
  return failures + 1;
}

function byName<T extends { readonly name: string }>(items: readonly T[], what: string): ReadonlyMap<string, T> {
  const map = new Map(items.map((item) => [item.name, item]));
  if (map.size < items.length) throw new RangeError(`two of one name in the registry: each ${what} has its own`);
  return map;
}
