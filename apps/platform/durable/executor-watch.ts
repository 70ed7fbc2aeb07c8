import type { ExecutorFact } from '#kit/durable/embedded';
import type { Probe } from '#kit/http';
import { assertNever } from '#kit/std';
import type { Logger, Metrics } from '#kit/telemetry';

export interface ExecutorWatchDeps {
  readonly log: Logger;
  readonly metrics: Metrics;
}

export interface ExecutorWatch {
  readonly onFact: (fact: ExecutorFact) => void;
  readonly probe: Probe;
}

/** Turns the events of the embedded engine into log lines, metrics and the state in `/readyz`. */
export function watchExecutor({ log, metrics }: ExecutorWatchDeps): ExecutorWatch {
  const executing = metrics.gauge({
    name: 'fleetshift_workflow_executor',
    help: '1 while this process executes the workflows, 0 while it is on standby.',
  });
  const ended = metrics.counter({
    name: 'fleetshift_workflows_ended_total',
    help: 'Workflows that ended in this process, by outcome.',
    labels: ['status'],
  });
  const parked = metrics.counter({
    name: 'fleetshift_workflows_parked_total',
    help: 'Workflows that this process parked because its code cannot replay them.',
  });
  const interruptions = metrics.counter({
    name: 'fleetshift_workflow_interruptions_total',
    help: 'Times that execution in this process was interrupted and restarted.',
  });

  let isExecuting = false;
  const set = (now: boolean): void => {
    isExecuting = now;
    executing.set({}, now ? 1 : 0);
  };
  set(false);

  const onFact = (fact: ExecutorFact): void => {
    switch (fact.kind) {
      case 'leading':
        set(true);
        return log.info({}, 'executing workflows');
      case 'recovered':
        return log.info({ count: fact.open }, 'open workflows recovered, except those that only wait');
      case 'ended':
        ended.add({ status: fact.status });
        return log.debug({ subject: `workflows/${fact.workflow}` }, 'workflow ended');
      case 'parked': {
        parked.add({});
        const { code, message } = fact.reason;
        const fields = { subject: `workflows/${fact.workflow}`, code, reason: message };
        return log.warn(fields, 'workflow parked; it resumes once code that fits its history is started');
      }
      case 'interrupted': {
        set(false);
        interruptions.add({});
        const { error: err, retryInMs } = fact;
        return log.warn({ err, retryInMs }, 'workflow execution interrupted; retrying');
      }
      case 'standing-by':
        return log.info({}, 'standing by; another process executes workflows, or may');
      default:
        return assertNever(fact, 'executor fact');
    }
  };
  // All processes but one are on standby: that is no reason to withhold requests.
  const check = async (): Promise<string> => (isExecuting ? 'executing' : 'standing by');
  return { onFact, probe: { name: 'workflows', check } };
}
