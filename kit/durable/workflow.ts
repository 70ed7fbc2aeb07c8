import type { Activity, Payload } from './activity.ts';

/**
 * A workflow's only window. Every call that returns a promise is a step of its history; a replay gives the same answers
 * in the same order.
 *
 * After a cancel, whatever waits and whatever is asked for later rejects with `WORKFLOW_CANCELLED`, but for what goes
 * through the context of `cleanUp`.
 */
export interface WorkflowContext {
  readonly workflowId: string;

  /** The time of the event that woke the workflow, in milliseconds: the same on every replay. */
  now(): number;
  /** From 0 up to 1, the same on every replay. */
  random(): number;
  /** The same on every replay. */
  uuid(): string;

  /** Its result, once it succeeded; rejects with `ACTIVITY_FAILED` after its last try. */
  run<I extends Payload, O extends Payload | undefined>(activity: Activity<I, O>, input: I): Promise<O>;

  /** A timer that survives restarts. One that passed meanwhile fires at once. */
  sleep(ms: number): Promise<void>;

  /**
   * The next signal of that name: in order of arrival, each given once, none lost, also if it came before anybody waited.
   * `undefined` when the time passed first.
   */
  waitSignal<P extends Payload = Payload>(
    name: string,
    options?: { readonly timeoutMs?: number },
  ): Promise<P | undefined>;

  /** Starts it under this id and waits for its result; rejects with `WORKFLOW_FAILED` or `WORKFLOW_CANCELLED`. */
  child<I extends Payload, O extends Payload | undefined>(
    workflow: Workflow<I, O>,
    options: ChildOptions<I>,
  ): Promise<O>;

  /** Answers `query(name)` from outside, at any time, from the workflow's own variables. Changes nothing. */
  onQuery(name: string, answer: () => Payload): void;

  /** True on the new side of a change of code: for workflows that got here after it, and never for those before. */
  patched(change: string): boolean;

  /** The history has grown long: end with `continueAsNew` at the next good place. */
  readonly continueAsNewDue: boolean;

  /** Ends this run and begins the next under the same id, with a fresh history and the signals nobody took. */
  continueAsNew(input: Payload): never;

  readonly cancelled: boolean;

  /** Runs to its end whether or not the workflow is cancelled: for undoing what was done. */
  cleanUp<T>(body: (ctx: WorkflowContext) => Promise<T>): Promise<T>;
}

export interface ChildOptions<I> {
  /** Unique among all workflows, as the id of one that is started from outside. */
  readonly id: string;
  readonly input: I;
}

/**
 * A deterministic function: given the same history it asks for the same steps in the same order. It touches nothing but
 * its input and `ctx`: no clock, no random, no I/O, no global that changes.
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
