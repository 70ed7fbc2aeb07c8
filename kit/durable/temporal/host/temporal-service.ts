import { randomUUID } from 'node:crypto';
import type { Connection } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { msToTs } from '@temporalio/common/lib/time.js';
import proto, { type temporal } from '@temporalio/proto';
import type { Payload } from '../../activity.ts';
import { TemporalError } from '../temporal-error.ts';
import type { HistoryEvent } from './history-fold.ts';
import { jsonAt } from './payloads.ts';

export type ExecutionInfo = temporal.api.workflow.v1.IWorkflowExecutionInfo;
export type Described = temporal.api.workflowservice.v1.IDescribeWorkflowExecutionResponse;

/** gRPC status codes of failed calls. */
export const STATUS = {
  invalidArgument: 3,
  notFound: 5,
  alreadyExists: 6,
  failedPrecondition: 9,
} as const;
/** Cancelled (but not by us), deadline exceeded, resource exhausted, unavailable: the same call may succeed later. */
const TRANSIENT: ReadonlySet<unknown> = new Set([1, 4, 8, 14]);

export function hasStatus(error: unknown, status: keyof typeof STATUS): error is Error {
  return error instanceof Error && 'code' in error && error.code === STATUS[status];
}

/** Page size of list requests. */
const PAGE_SIZE = 1_000;
const ASK_ANEW_MS = 5_000;

export interface NewWorkflow {
  readonly id: string;
  readonly name: string;
  readonly input: Payload;
  readonly taskQueue: string;
  readonly workflowTaskTimeoutMs: number;
}

export interface SignalCall {
  readonly name: string;
  readonly args: readonly Payload[];
}

export interface Execution {
  readonly id: string;
  /** The current run by default. */
  readonly runId?: string | undefined;
}

const { WorkflowIdReusePolicy, WorkflowIdConflictPolicy, HistoryEventFilterType } = proto.temporal.api.enums.v1;

/** The calls of Temporal's service that are used, in one namespace. A call that is aborted rejects with the abort reason. */
export class TemporalService {
  readonly #connection: Connection;
  readonly #namespace: string;

  constructor(connection: Connection, namespace: string) {
    this.#connection = connection;
    this.#namespace = namespace;
  }

  /** Rejects with `alreadyExists` if the id was ever used. */
  async start(workflow: NewWorkflow, signal: AbortSignal): Promise<void> {
    const request = {
      ...this.#starting(workflow),
      workflowIdConflictPolicy: WorkflowIdConflictPolicy.WORKFLOW_ID_CONFLICT_POLICY_FAIL,
    };
    await this.#call(() => this.#connection.workflowService.startWorkflowExecution(request), signal);
  }

  /** Rejects with `alreadyExists` if the workflow has ended. */
  async signalWithStart(workflow: NewWorkflow, { name, args }: SignalCall, signal: AbortSignal): Promise<void> {
    const request = {
      ...this.#starting(workflow),
      workflowIdConflictPolicy: WorkflowIdConflictPolicy.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
      signalName: name,
      signalInput: toPayloads(args),
    };
    await this.#call(() => this.#connection.workflowService.signalWithStartWorkflowExecution(request), signal);
  }

  async signal(id: string, { name, args }: SignalCall, signal: AbortSignal): Promise<void> {
    const request = {
      namespace: this.#namespace,
      workflowExecution: { workflowId: id },
      signalName: name,
      input: toPayloads(args),
      requestId: randomUUID(),
    };
    await this.#call(() => this.#connection.workflowService.signalWorkflowExecution(request), signal);
  }

  async cancel(id: string, reason: string, signal: AbortSignal): Promise<void> {
    const request = {
      namespace: this.#namespace,
      workflowExecution: { workflowId: id },
      requestId: randomUUID(),
      reason,
    };
    await this.#call(() => this.#connection.workflowService.requestCancelWorkflowExecution(request), signal);
  }

  async query({ id, runId = '' }: Execution, queryType: string, signal: AbortSignal): Promise<Payload | undefined> {
    const request = {
      namespace: this.#namespace,
      execution: { workflowId: id, runId },
      query: { queryType, queryArgs: toPayloads([]) },
    };
    const answer = await this.#call(() => this.#connection.workflowService.queryWorkflow(request), signal);
    return jsonAt(answer.queryResult, 0);
  }

  async describe(id: string, signal: AbortSignal): Promise<Described> {
    const request = { namespace: this.#namespace, execution: { workflowId: id } };
    return await this.#call(() => this.#connection.workflowService.describeWorkflowExecution(request), signal);
  }

  async firstEvent({ id, runId = '' }: Execution, signal: AbortSignal): Promise<HistoryEvent[]> {
    const request = { namespace: this.#namespace, execution: { workflowId: id, runId }, maximumPageSize: 1 };
    const page = await this.#call(() => this.#connection.workflowService.getWorkflowExecutionHistory(request), signal);
    return page.history?.events ?? [];
  }

  /** All events of a run. */
  async events({ id, runId = '' }: Execution, signal: AbortSignal): Promise<HistoryEvent[]> {
    const request = { namespace: this.#namespace, execution: { workflowId: id, runId } };
    const events: HistoryEvent[] = [];
    let place: Place = {};
    do {
      const asked = { ...request, ...place };
      const page = await this.#call(() => this.#connection.workflowService.getWorkflowExecutionHistory(asked), signal);
      events.push(...(page.history?.events ?? []));
      place = after(page);
    } while (place.nextPageToken !== undefined);
    return events;
  }

  /** The event that ended the run, if it has ended. */
  async closeEvent(execution: Execution, signal: AbortSignal): Promise<HistoryEvent | undefined> {
    return await this.#closeEvent(execution, { waits: false }, signal);
  }

  /**
   * Waits for the event that ends the run.
   *
   * DECISION: the request is repeated every few seconds. A busy server sometimes misses an end, and reports it only
   * when its own long poll ends, after 20 s.
   */
  async untilClosed(execution: Execution, signal: AbortSignal): Promise<HistoryEvent> {
    for (;;) {
      const patience = AbortSignal.timeout(ASK_ANEW_MS);
      try {
        const event = await this.#closeEvent(execution, { waits: true }, AbortSignal.any([signal, patience]));
        if (event !== undefined) return event;
      } catch (error) {
        if (signal.aborted || !patience.aborted) throw error;
      }
    }
  }

  async count(query: string, signal: AbortSignal): Promise<number> {
    const request = { namespace: this.#namespace, query };
    const { count } = await this.#call(() => this.#connection.workflowService.countWorkflowExecutions(request), signal);
    return Number(count);
  }

  /** All matches, unordered; `undefined` if there are more than `most`. */
  async list(query: string, most: number, signal: AbortSignal): Promise<ExecutionInfo[] | undefined> {
    const request = { namespace: this.#namespace, query, pageSize: Math.min(most, PAGE_SIZE) };
    const found: ExecutionInfo[] = [];
    let place: Place = {};
    do {
      if (found.length >= most) return undefined;
      const asked = { ...request, ...place };
      const page = await this.#call(() => this.#connection.workflowService.listWorkflowExecutions(asked), signal);
      found.push(...page.executions);
      place = after(page);
    } while (place.nextPageToken !== undefined);
    return found;
  }

  #starting({ id, name, input, taskQueue, workflowTaskTimeoutMs }: NewWorkflow) {
    return {
      namespace: this.#namespace,
      workflowId: id,
      workflowType: { name },
      taskQueue: { name: taskQueue },
      input: toPayloads([input]),
      requestId: randomUUID(),
      workflowTaskTimeout: msToTs(workflowTaskTimeoutMs),
      workflowIdReusePolicy: WorkflowIdReusePolicy.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE,
    };
  }

  async #closeEvent({ id, runId = '' }: Execution, { waits }: { readonly waits: boolean }, signal: AbortSignal) {
    const request = {
      namespace: this.#namespace,
      execution: { workflowId: id, runId },
      waitNewEvent: waits,
      historyEventFilterType: HistoryEventFilterType.HISTORY_EVENT_FILTER_TYPE_CLOSE_EVENT,
    };
    const page = await this.#call(() => this.#connection.workflowService.getWorkflowExecutionHistory(request), signal);
    return page.history?.events?.[0];
  }

  async #call<T>(call: () => Promise<T>, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted();
    try {
      return await this.#connection.withAbortSignal(signal, call);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof Error && 'code' in error && TRANSIENT.has(error.code)) {
        throw new TemporalError('TEMPORAL_UNREACHABLE', `ask Temporal: ${error.message}`, { cause: error });
      }
      throw error;
    }
  }
}

/** The start of the next page; without a token the first page, or none. */
interface Place {
  readonly nextPageToken?: Uint8Array;
}

function after({ nextPageToken }: { readonly nextPageToken?: Uint8Array | null }): Place {
  return nextPageToken?.length ? { nextPageToken } : {};
}

function toPayloads(values: readonly Payload[]): temporal.api.common.v1.IPayloads {
  return { payloads: values.map((value) => defaultPayloadConverter.toPayload(value)) };
}
