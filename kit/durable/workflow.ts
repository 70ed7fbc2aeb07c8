import type { Activity, Payload } from './activity.ts';

/**
 * A workflow's only access to anything outside. Every call that returns a promise is a step of its history; a replay
 * gives the same answers in the same order.
 *
 * After a cancel, all pending and later calls reject with `WORKFLOW_CANCELLED`, except through the context of
 * `cleanUp`.
 */
export interface WorkflowContext {
  readonly workflowId: string;

  /** The time of the event that woke the workflow, in milliseconds: the same on every replay. */
  now(): number;
  /** From 0 (inclusive) to 1 (exclusive), the same on every replay. */
  random(): number;
  /** The same on every replay. */
  uuid(): string;

  /** Resolves with the result when the activity succeeds; rejects with `ACTIVITY_FAILED` after its last attempt. */
  run<I extends Payload, O extends Payload | undefined>(activity: Activity<I, O>, input: I): Promise<O>;

  /** A timer that survives restarts. If it became due during downtime, it fires at once. */
  sleep(ms: number): Promise<void>;

  /**
   * The next signal of that name: in order of arrival, each delivered once, none lost, even if it came before the wait.
   * `undefined` if the timeout came first.
   */
  waitSignal<P extends Payload = Payload>(
    name: string,
    options?: { readonly timeoutMs?: number },
  ): Promise<P | undefined>;

  /** Starts a child under this id and waits for its result; rejects with `WORKFLOW_FAILED` or `WORKFLOW_CANCELLED`. */
  child<I extends Payload, O extends Payload | undefined>(
    workflow: Workflow<I, O>,
    options: ChildOptions<I>,
  ): Promise<O>;

  /** Answers `query(name)` from outside, at any time, from the workflow's own variables. Must not change anything. */
  onQuery(name: string, answer: () => Payload): void;

  /** True on the new side of a code change: for workflows that got here after it, and never for those before. */
  patched(change: string): boolean;

  /** The history has grown long: call `continueAsNew` at the next suitable point. */
  readonly continueAsNewDue: boolean;

  /** Ends this run and begins the next under the same id, with an empty history and the untaken signals. */
  continueAsNew(input: Payload): never;

  readonly cancelled: boolean;

  /** Runs the body to its end even if the workflow is cancelled: for undoing work. */
  cleanUp<T>(body: (ctx: WorkflowContext) => Promise<T>): Promise<T>;
}

export interface ChildOptions<I> {
  /** Unique among all workflows, including those started from outside. */
  readonly id: string;
  readonly input: I;
}

/**
 * A deterministic function: given the same history it asks for the same steps in the same order. It uses nothing but
 * its input and `ctx`: no clock, no randomness, no I/O, no mutable globals.
 *
 * Code that asks for other steps than a history has is parked. What counts as another step differs in one respect: the
 * embedded engine also compares the durations of timers and the inputs of children, Temporal does not, and continues
 * with the recorded ones. A change of either needs `ctx.patched` on every engine.
 */
export interface Workflow<I extends Payload, O extends Payload | undefined> {
  readonly kind: 'workflow';
  readonly name: string;
  run(ctx: WorkflowContext, input: I): Promise<O>;
}

export function defineWorkflow<I extends Payload, O extends Payload | undefined = undefined>(
  name: string,
  run: (ctx: WorkflowContext, input: I) => Promise<O>,
): Workflow<I, O> {
  return { kind: 'workflow', name, run };
}

/** Any workflow, where its types do not matter: a registry holds these. */
// biome-ignore format: one line reads better
export type AnyWorkflow = { readonly kind: 'workflow'; readonly name: string; run(ctx: WorkflowContext, input: never): Promise<Payload | undefined> };
