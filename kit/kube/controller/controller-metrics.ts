import type { ControllerObserver, Outcome, Priority, QueueObserver } from '#kit/reconcile';
import type { Metrics } from '#kit/telemetry';

/** Metrics of controllers, with the names and labels of controller-runtime, so that existing dashboards work. */
export interface ControllerMetrics {
  controller(name: string): ControllerObserver;
}

/** controller-runtime counts low priority as -100. */
const PRIORITY_LABELS: Readonly<Record<Priority, string>> = { high: '100', normal: '0', low: '-100' };

const RESULT_LABELS = ['success', 'requeue', 'requeue_after', 'error'] as const;
const RESULTS: Readonly<Record<Outcome, (typeof RESULT_LABELS)[number]>> = {
  success: 'success',
  requeue: 'requeue',
  'requeue-after': 'requeue_after',
  error: 'error',
  'terminal-error': 'error',
};

const QUEUE_BUCKETS = Array.from({ length: 12 }, (_, power) => Number(`1e${power - 8}`));
const RECONCILE_BUCKETS = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2,
  2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];

/** Declares the metrics; once per process, for any number of controllers. */
export function createControllerMetrics(metrics: Metrics): ControllerMetrics {
  const queue = queueMetrics(metrics);
  const workers = reconcileMetrics(metrics);
  return {
    controller: (name) => {
      const { observer, inProgress } = queue(name);
      return { queue: observer, inProgress, ...workers(name) };
    },
  };
}

function queueMetrics(metrics: Metrics) {
  const { depth, adds, retries, waited, worked, unfinished, longest } = declareQueueMetrics(metrics);
  return (name: string) => {
    const own = { name, controller: name };
    const observer: QueueObserver = {
      depth: (priority, count) => depth.set({ ...own, priority: PRIORITY_LABELS[priority] }, count),
      added: () => adds.add(own),
      retried: () => retries.add(own),
      waited: (ms) => waited.observe(own, ms / 1_000),
      worked: (ms) => worked.observe(own, ms / 1_000),
    };
    const inProgress = (ms: readonly number[]): void => {
      unfinished.set(own, ms.reduce((sum, each) => sum + each, 0) / 1_000);
      longest.set(own, Math.max(0, ...ms) / 1_000);
    };
    return { observer, inProgress };
  };
}

function reconcileMetrics(metrics: Metrics) {
  const { total, errors, terminalErrors, time, concurrency, active } = declareReconcileMetrics(metrics);
  return (controller: string): Pick<ControllerObserver, 'started' | 'workers'> => ({
    started: (options) => {
      concurrency.set({ controller }, options.concurrency);
      active.set({ controller }, 0);
      // Initialized to 0, so that a rate does not miss the first error.
      for (const counter of [errors, terminalErrors]) counter.add({ controller }, 0);
      for (const result of RESULT_LABELS) total.add({ controller, result }, 0);
    },
    workers: {
      active: (workers) => active.set({ controller }, workers),
      reconciled: (outcome, ms) => {
        const result = RESULTS[outcome];
        total.add({ controller, result });
        time.observe({ controller }, ms / 1_000);
        if (result === 'error') errors.add({ controller });
        if (outcome === 'terminal-error') terminalErrors.add({ controller });
      },
    },
  });
}

function declareQueueMetrics(metrics: Metrics) {
  const labels = ['name', 'controller'] as const;
  const depth = metrics.gauge({
    name: 'workqueue_depth',
    help: 'Current depth of workqueue by workqueue and priority',
    labels: ['name', 'controller', 'priority'],
  });
  const adds = metrics.counter({
    name: 'workqueue_adds_total',
    help: 'Total number of adds handled by workqueue',
    labels,
  });
  const retries = metrics.counter({
    name: 'workqueue_retries_total',
    help: 'Total number of retries handled by workqueue',
    labels,
  });
  const waited = metrics.histogram({
    name: 'workqueue_queue_duration_seconds',
    help: 'How long in seconds an item stays in workqueue before being requested',
    labels,
    buckets: QUEUE_BUCKETS,
  });
  const worked = metrics.histogram({
    name: 'workqueue_work_duration_seconds',
    help: 'How long in seconds processing an item from workqueue takes.',
    labels,
    buckets: QUEUE_BUCKETS,
  });
  const unfinished = metrics.gauge({
    name: 'workqueue_unfinished_work_seconds',
    help: 'How many seconds of work is in progress and not yet in work_duration. Large values mean stuck workers.',
    labels,
  });
  const longest = metrics.gauge({
    name: 'workqueue_longest_running_processor_seconds',
    help: 'How many seconds the longest running processor of the workqueue has been running.',
    labels,
  });
  return { depth, adds, retries, waited, worked, unfinished, longest };
}

function declareReconcileMetrics(metrics: Metrics) {
  const labels = ['controller'] as const;
  const total = metrics.counter({
    name: 'controller_runtime_reconcile_total',
    help: 'Total number of reconciliations per controller',
    labels: ['controller', 'result'],
  });
  const errors = metrics.counter({
    name: 'controller_runtime_reconcile_errors_total',
    help: 'Total number of reconciliation errors per controller',
    labels,
  });
  const terminalErrors = metrics.counter({
    name: 'controller_runtime_terminal_reconcile_errors_total',
    help: 'Total number of terminal reconciliation errors per controller',
    labels,
  });
  const time = metrics.histogram({
    name: 'controller_runtime_reconcile_time_seconds',
    help: 'Length of time per reconciliation per controller',
    labels,
    buckets: RECONCILE_BUCKETS,
  });
  const concurrency = metrics.gauge({
    name: 'controller_runtime_max_concurrent_reconciles',
    help: 'Maximum number of concurrent reconciles per controller',
    labels,
  });
  const active = metrics.gauge({
    name: 'controller_runtime_active_workers',
    help: 'Number of currently used workers per controller',
    labels,
  });
  return { total, errors, terminalErrors, time, concurrency, active };
}
