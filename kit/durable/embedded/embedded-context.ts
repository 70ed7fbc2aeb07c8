import type { Payload } from '../activity.ts';
import { type Activity, DEFAULT_ACTIVITY_OPTIONS } from '../activity.ts';
import { ContinueAsNew } from '../continue-as-new.ts';
import { checkedId, checkedName, encodePayload } from '../payload.ts';
import type { ChildOptions, Workflow, WorkflowContext } from '../workflow.ts';
import type { Execution } from './execution.ts';

/** The context of an execution. `shielded` marks the context that `cleanUp` passes on. */
class EmbeddedContext implements WorkflowContext {
  readonly #execution: Execution;
  readonly #shielded: boolean;

  constructor(execution: Execution, shielded: boolean) {
    this.#execution = execution;
    this.#shielded = shielded;
  }

  get workflowId(): string {
    return this.#execution.id;
  }

  get continueAsNewDue(): boolean {
    return this.#execution.meter.isDue;
  }

  get cancelled(): boolean {
    return this.#execution.cancelReason !== undefined;
  }

  now(): number {
    return this.#execution.now;
  }

  random(): number {
    return this.#execution.random.next();
  }

  uuid(): string {
    return this.#execution.random.uuid();
  }

  run<I extends Payload, O extends Payload | undefined>(activity: Activity<I, O>, input: I): Promise<O> {
    return heard(this.#run(activity, input));
  }

  sleep(ms: number): Promise<void> {
    return heard(this.#sleep(ms));
  }

  waitSignal<P extends Payload = Payload>(name: string, options: { timeoutMs?: number } = {}): Promise<P | undefined> {
    return heard(this.#waitSignal<P>(name, options));
  }

  child<I extends Payload, O extends Payload | undefined>(
    workflow: Workflow<I, O>,
    options: ChildOptions<I>,
  ): Promise<O> {
    return heard(this.#child(workflow, options));
  }

  async #run<I extends Payload, O extends Payload | undefined>(activity: Activity<I, O>, input: I): Promise<O> {
    const text = encodePayload(input, `the input of activity ${activity.name}`);
    const options = { ...DEFAULT_ACTIVITY_OPTIONS, ...activity.options };
    const name = checkedName(activity.name, 'an activity name');
    const result = await this.#execution.ask(
      (number) => ({ kind: 'activity', number, name, input: text, options }),
      this.#shielded,
    );
    return result as O;
  }

  async #sleep(ms: number): Promise<void> {
    await this.#timer(ms).ended;
  }

  async #waitSignal<P extends Payload>(name: string, options: { timeoutMs?: number }): Promise<P | undefined> {
    const { timeoutMs } = options;
    this.#execution.checkNotCancelled(this.#shielded);
    const timer = timeoutMs === undefined ? undefined : () => this.#timer(timeoutMs);
    return (await this.#execution.signals.next(name, this.#shielded, timer)) as P | undefined;
  }

  async #child<I extends Payload, O extends Payload | undefined>(
    workflow: Workflow<I, O>,
    { id, input }: ChildOptions<I>,
  ): Promise<O> {
    const text = encodePayload(input, `the input of child ${id}`);
    const childId = checkedId(id);
    const result = await this.#execution.ask(
      (number) => ({ kind: 'child', number, name: workflow.name, input: text, childId }),
      this.#shielded,
    );
    return result as O;
  }

  onQuery(name: string, answer: () => Payload): void {
    this.#execution.queries.set(name, answer);
  }

  patched(change: string): boolean {
    return this.#execution.patched(checkedName(change, 'the name of a change'));
  }

  continueAsNew(input: Payload): never {
    throw new ContinueAsNew(input);
  }

  async cleanUp<T>(body: (ctx: WorkflowContext) => Promise<T>): Promise<T> {
    return await body(new EmbeddedContext(this.#execution, true));
  }

  #timer(ms: number): { readonly ended: Promise<unknown>; drop(): void } {
    if (!Number.isFinite(ms) || ms < 0) throw new RangeError(`a timer of ${ms} ms`);
    let step = 0;
    const ended = this.#execution.ask((number) => {
      step = number;
      return { kind: 'timer', number, name: '', input: String(ms), ms };
    }, this.#shielded);
    return { ended, drop: () => this.#execution.drop(step) };
  }
}

/** Runs the body of an execution up to its first wait. */
export function begin(execution: Execution): void {
  execution.begin(new EmbeddedContext(execution, false));
}

/**
 * A body may ignore a step. If that step fails, the rejection must not end the process, which is what Node does with an
 * unhandled rejection.
 */
function heard<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}
