import type { Activity, ChildOptions, Payload, Workflow, WorkflowContext } from '#kit/durable';

/** The answers for a body in a dry run. By default steps return `null`, and signals never come. */
export interface DryWorld {
  readonly activities?: Readonly<Record<string, (input: Payload) => Payload | undefined>>;
  readonly children?: Readonly<Record<string, (input: Payload) => Payload | undefined>>;
  readonly signals?: Readonly<Record<string, readonly Payload[]>>;
  /** Cancelled from the start: every wait rejects, except in clean-ups. */
  readonly cancelled?: boolean;
  readonly continueAsNewDue?: boolean;
}

/** Errors of the realm that the body lives in, so that its `instanceof` works. */
export interface RealmErrors {
  durable(code: string, message: string): Error;
}

/** Far enough in the future for any deadline in the body to matter. */
const BEGIN = Date.UTC(2030, 0, 1);

/** A context that answers steps at once, and records them. */
export class DryContext implements WorkflowContext {
  readonly workflowId = 'dry-run';
  readonly continueAsNewDue: boolean;
  readonly asked: Payload[] = [];
  readonly cancelled: boolean;
  continuedWith: Payload | undefined;
  readonly #world: DryWorld;
  readonly #errors: RealmErrors;
  readonly #signals: Map<string, Payload[]>;
  #now = BEGIN;
  #drawn = 0;
  #shielded = 0;

  constructor(world: DryWorld, errors: RealmErrors) {
    this.#world = world;
    this.#errors = errors;
    this.cancelled = world.cancelled ?? false;
    this.continueAsNewDue = world.continueAsNewDue ?? false;
    this.#signals = new Map(Object.entries(world.signals ?? {}).map(([name, payloads]) => [name, [...payloads]]));
  }

  now(): number {
    return this.#now;
  }

  random(): number {
    this.#drawn += 1;
    return (this.#drawn * 0.618) % 1;
  }

  uuid(): string {
    this.#drawn += 1;
    return `00000000-0000-4000-8000-${String(this.#drawn).padStart(12, '0')}`;
  }

  async run<I extends Payload, O extends Payload | undefined>(activity: Activity<I, O>, input: I): Promise<O> {
    const answer = this.#world.activities?.[activity.name] ?? (() => null);
    return (await this.#step('activity', activity.name, input, answer)) as O;
  }

  async child<I extends Payload, O extends Payload | undefined>(
    workflow: Workflow<I, O>,
    options: ChildOptions<I>,
  ): Promise<O> {
    const answer = this.#world.children?.[workflow.name] ?? (() => null);
    return (await this.#step('child', workflow.name, options.input, answer)) as O;
  }

  async sleep(ms: number): Promise<void> {
    await this.#step('timer', '', ms, () => {
      this.#now += ms;
      return null;
    });
  }

  async waitSignal<P extends Payload = Payload>(
    name: string,
    options?: { readonly timeoutMs?: number },
  ): Promise<P | undefined> {
    this.#checkNotCancelled();
    const payload = this.#signals.get(name)?.shift();
    if (payload !== undefined) {
      this.asked.push({ signal: name });
      return payload as P;
    }
    if (options?.timeoutMs === undefined) throw new Error(`the dry run has no more signals ${name}`);
    await this.sleep(options.timeoutMs);
    return undefined;
  }

  onQuery(name: string, answer: () => Payload): void {
    this.asked.push({ query: name, answer: answer() });
  }

  patched(change: string): boolean {
    this.asked.push({ patch: change });
    return true;
  }

  continueAsNew(input: Payload): never {
    this.continuedWith = input;
    throw this.#errors.durable('HISTORY_TOO_LONG', 'the dry run ends with this run');
  }

  async cleanUp<T>(body: (ctx: WorkflowContext) => Promise<T>): Promise<T> {
    this.#shielded += 1;
    try {
      return await body(this);
    } finally {
      this.#shielded -= 1;
    }
  }

  async #step(kind: string, name: string, input: Payload, answer: (input: Payload) => Payload | undefined) {
    this.#checkNotCancelled();
    this.asked.push({ kind, name, input: this.#asJson(input) });
    try {
      return answer(input);
    } catch (error) {
      throw this.#errors.durable(kind === 'child' ? 'WORKFLOW_FAILED' : 'ACTIVITY_FAILED', String(error));
    }
  }

  #asJson(value: Payload): Payload {
    try {
      return JSON.parse(JSON.stringify(value)) as Payload;
    } catch (error) {
      throw this.#errors.durable('PAYLOAD_NOT_JSON', String(error));
    }
  }

  #checkNotCancelled(): void {
    if (this.cancelled && this.#shielded === 0)
      throw this.#errors.durable('WORKFLOW_CANCELLED', 'the dry run is cancelled');
  }
}
