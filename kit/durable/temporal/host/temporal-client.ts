import type { Payload } from '../../activity.ts';
import { DurableError } from '../../durable-error.ts';
import type {
  Message,
  SignalOptions,
  SignalWithStartOptions,
  StartOptions,
  WorkflowClient,
  WorkflowDescription,
  WorkflowQuery,
  WorkflowSummary,
} from '../../engine.ts';
import { workflowCancelled, workflowFailed } from '../../failure.ts';
import type { HistoryEntry } from '../../history.ts';
import { checkedId, checkedName, encodePayload } from '../../payload.ts';
import type { AnyWorkflow, Workflow } from '../../workflow.ts';
import { PAUSE_SIGNAL, RESERVED_NAME, RESUME_SIGNAL } from '../wire.ts';
import { describeWorkflow } from './describe-workflow.ts';
import { HistoryFold } from './history-fold.ts';
import { listWorkflows } from './list-workflows.ts';
import { saysParked } from './parked-reason.ts';
import { hasStatus, type SignalCall, type TemporalService } from './temporal-service.ts';

export interface TemporalClientOptions {
  readonly service: TemporalService;
  readonly taskQueue: string;
  readonly workflows: ReadonlyMap<string, AnyWorkflow>;
  readonly workflowTaskTimeoutMs: number;
}

/** Works on Temporal's service alone. A worker is needed only for queries, and for what a running workflow waits for. */
export class TemporalClient implements WorkflowClient {
  readonly #options: TemporalClientOptions;
  readonly #service: TemporalService;

  constructor(options: TemporalClientOptions) {
    this.#options = options;
    this.#service = options.service;
  }

  async start<I extends Payload, O extends Payload | undefined>(
    workflow: Workflow<I, O>,
    { id, input }: StartOptions<I>,
    signal: AbortSignal,
  ): Promise<void> {
    checkedId(id);
    encodePayload(input, `the input of ${id}`);
    const { taskQueue, workflowTaskTimeoutMs } = this.#options;
    try {
      await this.#service.start({ id, name: workflow.name, input, taskQueue, workflowTaskTimeoutMs }, signal);
    } catch (error) {
      if (!hasStatus(error, 'alreadyExists')) throw error;
      const { workflowExecutionInfo } = await this.#service.describe(id, signal);
      const name = workflowExecutionInfo?.type?.name ?? '';
      if (name !== workflow.name) {
        throw new DurableError('WORKFLOW_EXISTS', `the id ${id} belongs to a workflow ${name}`, { cause: error });
      }
    }
  }

  async result(id: string, signal: AbortSignal): Promise<Payload | undefined> {
    for (let runId: string | undefined; ; ) {
      const event = await this.#find(id, () => this.#service.untilClosed({ id, runId }, signal));
      const next = event.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId;
      if (!next) return await this.#outcome(id, new HistoryFold([event]), signal);
      runId = next;
    }
  }

  async signal(id: string, message: Message & SignalOptions, signal: AbortSignal): Promise<void> {
    const call = signalCall(message);
    await this.#steer(id, () => this.#service.signal(id, call, signal), signal);
  }

  async signalWithStart<I extends Payload, O extends Payload | undefined>(
    workflow: Workflow<I, O>,
    { id, input, message }: SignalWithStartOptions<I>,
    signal: AbortSignal,
  ): Promise<'sent' | 'ended'> {
    checkedId(id);
    encodePayload(input, `the input of ${id}`);
    const call = signalCall(message);
    const { taskQueue, workflowTaskTimeoutMs } = this.#options;
    try {
      const started = { id, name: workflow.name, input, taskQueue, workflowTaskTimeoutMs };
      await this.#service.signalWithStart(started, call, signal);
      return 'sent';
    } catch (error) {
      if (!hasStatus(error, 'alreadyExists')) throw error;
      return 'ended';
    }
  }

  async query(id: string, name: string, signal: AbortSignal): Promise<Payload> {
    try {
      return (await this.#find(id, () => this.#service.query({ id }, name, signal))) ?? null;
    } catch (error) {
      const said = hasStatus(error, 'invalidArgument') || hasStatus(error, 'failedPrecondition') ? error.message : '';
      if (said.includes('did not register a handler')) {
        throw new DurableError('QUERY_UNKNOWN', `workflow ${id} answers no query ${name}`, { cause: error });
      }
      if (saysParked(said)) throw new DurableError('WORKFLOW_PARKED', `workflow ${id}: ${said}`, { cause: error });
      throw error;
    }
  }

  async cancel(id: string, reason: string, signal: AbortSignal): Promise<void> {
    checkedName(reason, 'the reason of a cancel');
    // Temporal accepts a cancel of a workflow that has ended.
    const { workflowExecutionInfo } = await this.#find(id, () => this.#service.describe(id, signal));
    if (workflowExecutionInfo?.closeTime) throw new DurableError('WORKFLOW_ENDED', `workflow ${id} has ended`);
    try {
      await this.#steer(id, () => this.#service.cancel(id, reason, signal), signal);
    } catch (error) {
      // A cancel was requested before, and is in progress.
      if (!hasStatus(error, 'alreadyExists')) throw error;
    }
  }

  async pause(id: string, signal: AbortSignal): Promise<void> {
    await this.#steer(id, () => this.#service.signal(id, { name: PAUSE_SIGNAL, args: [] }, signal), signal);
  }

  async resume(id: string, signal: AbortSignal): Promise<void> {
    await this.#steer(id, () => this.#service.signal(id, { name: RESUME_SIGNAL, args: [] }, signal), signal);
  }

  async describe(id: string, signal: AbortSignal): Promise<WorkflowDescription> {
    const { workflows } = this.#options;
    return await this.#find(id, () => describeWorkflow({ service: this.#service, workflows }, id, signal));
  }

  async list(query: WorkflowQuery, signal: AbortSignal): Promise<{ items: WorkflowSummary[]; nextPageToken?: string }> {
    const { service, taskQueue } = this.#options;
    return await listWorkflows({ service, taskQueue }, query, signal);
  }

  async history(id: string, signal: AbortSignal): Promise<HistoryEntry[]> {
    return new HistoryFold(await this.#find(id, () => this.#service.events({ id }, signal))).entries;
  }

  async #outcome(id: string, end: HistoryFold, signal: AbortSignal): Promise<Payload | undefined> {
    if (end.status === 'completed') return end.result;
    if (end.status === 'failed') throw workflowFailed(id, end.reason ?? { code: 'Error', message: 'unknown' });
    // The cancel reason is in the request, earlier in the history.
    const { cancelReason } = new HistoryFold(await this.#service.events({ id }, signal));
    throw workflowCancelled(id, cancelReason ?? '');
  }

  /** For calls that control a workflow, Temporal answers "not found" if it has ended. */
  async #steer(id: string, call: () => Promise<void>, signal: AbortSignal): Promise<void> {
    try {
      await call();
    } catch (error) {
      if (!hasStatus(error, 'notFound')) throw error;
      await this.#find(id, () => this.#service.describe(id, signal));
      throw new DurableError('WORKFLOW_ENDED', `workflow ${id} has ended`, { cause: error });
    }
  }

  async #find<T>(id: string, call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      if (!hasStatus(error, 'notFound')) throw error;
      throw new DurableError('WORKFLOW_NOT_FOUND', `no workflow ${id}`, { cause: error });
    }
  }
}

function signalCall({ name, payload, signalId }: Message & SignalOptions): SignalCall {
  encodePayload(payload, `the payload of signal ${name}`);
  if (RESERVED_NAME.test(name)) throw new DurableError('PAYLOAD_NOT_JSON', `a signal cannot be called ${name}`);
  const args = signalId === undefined ? [payload] : [payload, signalId];
  return { name: checkedName(name, 'a signal name'), args };
}
