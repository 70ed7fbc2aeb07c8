import {
  ActivityCancellationType,
  ChildWorkflowCancellationType,
  defineQuery,
  executeChild,
  ParentClosePolicy,
  patched,
  proxyActivities,
  setHandler,
  sleep,
  uuid4,
  WorkflowIdReusePolicy,
} from '@temporalio/workflow';
import type { Payload } from '../../activity.ts';
import { type Activity, DEFAULT_ACTIVITY_OPTIONS } from '../../activity.ts';
import { ContinueAsNew } from '../../continue-as-new.ts';
import { checkedId, checkedName, encodePayload } from '../../payload.ts';
import type { ChildOptions, Workflow, WorkflowContext } from '../../workflow.ts';
import { activityIdOf, type StepMark, stepSummary, type TryOptions } from '../wire.ts';
import type { SandboxOptions } from './sandbox-options.ts';
import { activityError, childError } from './step-error.ts';
import type { TemporalExecution } from './temporal-execution.ts';

/** The worker that runs an attempt ends it on timeout; Temporal ends it if the worker fails to. */
const TIMEOUT_MARGIN_MS = 5_000;

/** The context of an execution. `shielded` marks the context that `cleanUp` passes on. */
export class TemporalContext implements WorkflowContext {
  readonly #execution: TemporalExecution;
  readonly #options: SandboxOptions;
  readonly #shielded: boolean;

  constructor(execution: TemporalExecution, options: SandboxOptions, shielded: boolean) {
    this.#execution = execution;
    this.#options = options;
    this.#shielded = shielded;
  }

  get workflowId(): string {
    return this.#execution.id;
  }

  get continueAsNewDue(): boolean {
    return this.#execution.continueAsNewDue;
  }

  get cancelled(): boolean {
    return this.#execution.cancelReason !== undefined;
  }

  now(): number {
    return Date.now();
  }

  random(): number {
    return Math.random();
  }

  uuid(): string {
    return uuid4();
  }

  async run<I extends Payload, O extends Payload | undefined>(activity: Activity<I, O>, input: I): Promise<O> {
    const text = encodePayload(input, `the input of activity ${activity.name}`) ?? 'null';
    const name = checkedName(activity.name, 'an activity name');
    const options = { ...DEFAULT_ACTIVITY_OPTIONS, ...activity.options };
    const { ended } = this.#execution.ask({
      kind: 'activity',
      name,
      input: text,
      shielded: this.#shielded,
      begin: (mark) => this.#schedule(activityIdOf(mark, text), name, [input, options]),
    });
    try {
      return (await ended) as O;
    } catch (error) {
      throw activityError(name, error);
    }
  }

  async sleep(ms: number): Promise<void> {
    await this.#timer(ms).ended;
  }

  async waitSignal<P extends Payload = Payload>(
    name: string,
    options: { timeoutMs?: number } = {},
  ): Promise<P | undefined> {
    const { timeoutMs } = options;
    this.#execution.checkNotCancelled(this.#shielded);
    const timer = timeoutMs === undefined ? undefined : () => this.#timer(timeoutMs);
    return (await this.#execution.signals.next(name, this.#shielded, timer)) as P | undefined;
  }

  async child<I extends Payload, O extends Payload | undefined>(
    workflow: Workflow<I, O>,
    { id, input }: ChildOptions<I>,
  ): Promise<O> {
    const text = encodePayload(input, `the input of child ${id}`);
    const workflowId = checkedId(id);
    const { ended } = this.#execution.ask({
      kind: 'child',
      name: workflow.name,
      input: text,
      shielded: this.#shielded,
      begin: (mark) => this.#startChild(workflow.name, workflowId, { input, mark }),
    });
    try {
      return (await ended) as O;
    } catch (error) {
      throw childError(workflowId, error);
    }
  }

  onQuery(name: string, answer: () => Payload): void {
    setHandler(defineQuery<Payload>(name), answer);
  }

  patched(change: string): boolean {
    const isPatched = patched(checkedName(change, 'the name of a change'));
    if (isPatched) this.#execution.notePatch(change);
    return isPatched;
  }

  continueAsNew(input: Payload): never {
    throw new ContinueAsNew(input);
  }

  async cleanUp<T>(body: (ctx: WorkflowContext) => Promise<T>): Promise<T> {
    return await body(new TemporalContext(this.#execution, this.#options, true));
  }

  #timer(ms: number): { readonly ended: Promise<void>; drop(): void } {
    if (!Number.isFinite(ms) || ms < 0) throw new RangeError(`a timer of ${ms} ms`);
    return this.#execution.ask({
      kind: 'timer',
      name: '',
      input: String(ms),
      shielded: this.#shielded,
      ms,
      begin: (mark) => sleep(ms, { summary: stepSummary(mark) }),
    });
  }

  /** The worker counts the attempts, since it can tell failed attempts from lost ones. */
  #schedule(activityId: string, name: string, args: readonly [Payload, TryOptions]): Promise<unknown> {
    const { timeoutMs, retry } = args[1];
    const { baseMs, capMs, factor = 2 } = retry.backoff;
    const activities = proxyActivities({
      activityId,
      startToCloseTimeout: timeoutMs + TIMEOUT_MARGIN_MS,
      heartbeatTimeout: this.#options.workerLostMs,
      retry: { initialInterval: baseMs, maximumInterval: capMs, backoffCoefficient: factor },
      cancellationType: ActivityCancellationType.TRY_CANCEL,
    });
    return (activities[name] as (...args: unknown[]) => Promise<unknown>)(...args);
  }

  #startChild(name: string, workflowId: string, { input, mark }: { input: Payload; mark: StepMark }): Promise<unknown> {
    return executeChild(name, {
      workflowId,
      args: [input],
      staticSummary: stepSummary(mark),
      workflowTaskTimeout: this.#options.workflowTaskTimeoutMs,
      workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
      cancellationType: ChildWorkflowCancellationType.TRY_CANCEL,
      parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
    });
  }
}
