import type { IndexObserver } from '#contexts/resource-index';
import type { ResourceIndex } from '#contexts/resource-index/adapters';
import type { Runnable } from '#kit/reconcile';
import { persistenceWith, type Sleep } from '#kit/std';
import type { SetAside } from '#kit/storage/dead-letters';
import type { Logger, Metrics } from '#kit/telemetry';
import { AnotherLeads } from '../leadership/leadership.ts';

export interface WatchIndexDeps {
  readonly setAside: (letter: SetAside) => void;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** Turns index updates of agents into metrics, and failures into log lines. */
export function watchIndex({ setAside, log, metrics }: WatchIndexDeps): IndexObserver {
  const changes = metrics.counter({
    name: 'fleetshift_index_changes_total',
    help: 'Indexed objects that were put, deleted or refused.',
    labels: ['kind'],
  });
  const batches = metrics.counter({
    name: 'fleetshift_index_batches_total',
    help: 'Transactions that wrote indexed objects.',
  });
  return {
    applied: ({ put, deleted, refused }) => {
      batches.add({});
      changes.add({ kind: 'put' }, put);
      changes.add({ kind: 'deleted' }, deleted);
      changes.add({ kind: 'refused' }, refused);
      if (refused > 0) log.warn({ count: refused }, 'invalid objects in index update from agent; skipped');
    },
    trouble: (err) => log.warn({ err }, 'index updates from agents not stored; retrying'),
    // The resync on reconnect repairs it.
    lost: (target, err) => {
      const subject = `targets/${target}`;
      if (err instanceof AnotherLeads)
        return log.debug({ subject }, 'index update from agent dropped: another replica takes fleetlets');
      if (persistenceWith(err) === 'none') setAside({ source: 'index', subject, error: err });
      else log.warn({ err, subject }, 'index update from agent dropped; resync on reconnect');
    },
  };
}

export interface IndexMetricsDeps {
  readonly counts: ResourceIndex['counts'];
  readonly metrics: Metrics;
  readonly sleep: Sleep;
  readonly log: Logger;
}

const EVERY_MS = 30_000;

/** The number of indexed objects, over all targets. */
export function indexMetrics({ counts, metrics, sleep, log }: IndexMetricsDeps): Runnable {
  const objects = metrics.gauge({
    name: 'fleetshift_index_objects',
    help: 'Indexed objects, by type.',
    labels: ['type'],
  });
  const targets = metrics.gauge({
    name: 'fleetshift_index_targets',
    help: 'Targets by type of object and by whether it is followed, or why not.',
    labels: ['type', 'state'],
  });
  const known = new Map<string, { readonly type: string; readonly state: string }>();
  const look = async (signal: AbortSignal): Promise<void> => {
    const rows = await counts(signal);
    const sums = new Map<string, number>();
    for (const { type, objects: some } of rows) sums.set(type, (sums.get(type) ?? 0) + some);
    for (const labels of known.values()) {
      targets.set(labels, 0);
      objects.set({ type: labels.type }, 0);
    }
    for (const [type, total] of sums) objects.set({ type }, total);
    for (const { type, state, targets: amount } of rows) {
      known.set(`${type} ${state}`, { type, state });
      targets.set({ type, state }, amount);
    }
  };
  return {
    name: 'index metrics',
    run: async (signal) => {
      while (!signal.aborted) {
        await look(signal).catch((err: unknown) => {
          if (!signal.aborted) log.warn({ err }, 'indexed objects not counted; retrying');
        });
        await sleep(EVERY_MS, signal);
      }
    },
  };
}
