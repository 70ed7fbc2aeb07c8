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

/** Turns what the embedded engine tells into lines of the log, metrics and a word for `/readyz`. */
export function watchExecutor({ log, metrics }: ExecutorWatchDeps): ExecutorWatch {
  const executing = metrics.gauge({
    name: 'fleetshift_workflow_executor',
    help: '1 while this process executes the workflows, 0 while it stands by.',
  });
  const ended = metrics.counter({
    name: 'fleetshift_workflows_ended_total',
    help: 'Workflows that ended in this process, by how they ended.',
    labels: ['status'],
  });
  const parked = metrics.counter({
    name: 'fleetshift_workflows_parked_total',
    help: 'Times that this process found a workflow which its code cannot replay.',
  });
  const interruptions = metrics.counter({
    name: 'fleetshift_workflow_interruptions_total',
    help: 'Times that this process had to begin anew with executing.',
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
        return log.info({ count: fact.open }, 'brought back the open workflows that do not only wait');
      case 'ended':
        ended.add({ status: fact.status });
        return log.debug({ subject: `workflows/${fact.workflow}` }, 'a workflow ended');
      case 'parked': {
        parked.add({});
        const { code, message } = fact.reason;
        const fields = { subject: `workflows/${fact.workflow}`, code, reason: message };
        return log.warn(fields, 'parked a workflow; it goes on once code that fits its history is started');
      }
      case 'interrupted': {
        set(false);
        interruptions.add({});
        const { error: err, retryInMs } = fact;
        return log.warn({ err, retryInMs }, 'workflows are not executed by this process for now; will try again');
      }
      default:
        return assertNever(fact, 'executor fact');
    }
  };
  // Standing by is what all processes but one do: no reason not to send requests here.
  const check = async (): Promise<string> => (isExecuting ? 'executing' : 'standing by');
  return { onFact, probe: { name: 'workflows', check } };
}
