import type { Payload } from '../activity.ts';
import { ContinueAsNew } from '../continue-as-new.ts';
import { DurableError } from '../durable-error.ts';
import type { WaitingFor } from '../engine.ts';
import { activityFailed, toFailure, workflowCancelled, workflowFailed } from '../failure.ts';
import { HistoryMeter } from '../history-meter.ts';
import { LIMITS } from '../limits.ts';
import { decodePayload, encodePayload } from '../payload.ts';
import { type CarriedSignal, SignalBox } from '../signal-box.ts';
import type { AnyWorkflow, WorkflowContext } from '../workflow.ts';
import { checkAnswersTheQuestion, recordedButNotAsked } from './divergence.ts';
import type { AskedStep, Command, End, JournalEvent } from './journal-event.ts';
import { SeededRandom } from './seeded-random.ts';

export interface ExecutionOptions {
  readonly workflow: AnyWorkflow;
  readonly id: string;
  readonly run: number;
  readonly input: string;
  readonly startedAt: number;
  readonly carried: readonly CarriedSignal[];
}

interface PendingStep {
  readonly asked: AskedStep;
  /** Requested by `cleanUp`: a cancel does not affect it. */
  readonly shielded: boolean;
  readonly askedAt: number;
  resolve(value: Payload | undefined): void;
  reject(error: Error): void;
}

/**
 * A workflow's body in memory: events in, commands out, and nothing else. It uses no database, clock or activity, so
 * the same events always lead to the same commands. Between `apply` and `takeCommands` the caller must let all promises
 * settle.
 */
export class Execution {
  readonly id: string;
  readonly signals: SignalBox;
  readonly queries = new Map<string, () => Payload>();
  readonly pending = new Map<number, PendingStep>();
  readonly meter = new HistoryMeter();
  readonly #options: ExecutionOptions;
  readonly #random: SeededRandom;
  readonly #patches = new Set<string>();
  #commands: Command[] = [];
  #steps = 0;
  #now: number;
  #length = 0;
  #cancelReason: string | undefined;
  #end: End | undefined;
  /** Recorded events are being replayed: they must not lead to new decisions. */
  replaying = false;

  constructor(options: ExecutionOptions) {
    this.#options = options;
    this.id = options.id;
    this.#now = options.startedAt;
    this.#random = new SeededRandom(`${options.id}/${options.run}`);
    this.signals = new SignalBox(options.carried);
  }

  get now(): number {
    return this.#now;
  }

  get random(): SeededRandom {
    return this.#random;
  }

  get length(): number {
    return this.#length;
  }

  get end(): End | undefined {
    return this.#end;
  }

  get cancelReason(): string | undefined {
    return this.#cancelReason;
  }

  /** Runs the body up to its first wait. */
  begin(ctx: WorkflowContext): void {
    const { workflow, input } = this.#options;
    // A body need not be async; an error it throws is its outcome either way.
    const outcome = Promise.resolve().then(() => workflow.run(ctx, decodePayload(input) as never));
    outcome.then(
      (result) =>
        this.#finish(() => ({ kind: 'completed', result: encodePayload(result, `the result of ${this.id}`) })),
      (error: unknown) => this.#finish(() => this.#endOf(error)),
    );
  }

  /** Adds the markers that the current turn left in the history. */
  learnPatches(patches: Iterable<string>): void {
    for (const patch of patches) {
      this.#patches.add(patch);
      this.#grow(undefined);
    }
  }

  /** Passes an event to the body. An event for a step that the body did not ask for means that the code has changed. */
  apply(event: JournalEvent): void {
    // Markers are the result of a turn, not its input: see `learnPatches`.
    if (event.kind === 'patch') return;
    this.#now = Math.max(this.#now, event.time);
    this.#grow(event.result ?? event.error?.message);
    if (this.#end !== undefined) throw recordedButNotAsked(this.id, event, 'nothing: it has ended');
    switch (event.kind) {
      case 'activity':
      case 'timer':
      case 'child':
        this.#answer(event);
        break;
      case 'signal':
        this.signals.deliver(signalOf(event));
        break;
      case 'cancel':
        this.#cancel(event.name);
        break;
    }
    const { fault } = this.meter;
    if (fault) this.#finish(() => ({ kind: 'failed', failure: toFailure(fault) }));
  }

  takeCommands(): Command[] {
    const commands = this.#commands;
    this.#commands = [];
    return commands;
  }

  /** Adds a step that the body waits for. */
  ask(make: (number: number) => AskedStep, shielded: boolean): Promise<Payload | undefined> {
    this.checkNotCancelled(shielded);
    if (this.pending.size >= LIMITS.pendingSteps) {
      throw new DurableError(
        'TOO_MANY_PENDING',
        `${LIMITS.pendingSteps} steps of ${this.id} are pending; wait for some`,
      );
    }
    const asked = make(++this.#steps);
    this.meter.weigh(asked.input);
    this.#commands.push({ kind: 'start', step: asked });
    return new Promise((resolve, reject) => {
      this.pending.set(asked.number, { asked, shielded, askedAt: this.#now, resolve, reject });
    });
  }

  /** The body no longer waits for a step that has not ended. */
  drop(number: number): void {
    const step = this.pending.get(number);
    if (step === undefined) return;
    this.pending.delete(number);
    this.#commands.push({ kind: 'drop', step: step.asked });
  }

  patched(change: string): boolean {
    if (this.#patches.has(change)) return true;
    if (this.replaying) return false;
    this.#patches.add(change);
    this.#grow(undefined);
    this.#commands.push({ kind: 'patch', change });
    return true;
  }

  checkNotCancelled(shielded: boolean): void {
    if (this.#cancelReason !== undefined && !shielded) throw workflowCancelled(this.id, this.#cancelReason);
  }

  waitingFor(): WaitingFor[] {
    const steps = [...this.pending.values()].map(({ asked, askedAt }) => ({
      kind: asked.kind,
      name: asked.name,
      step: asked.number,
      since: askedAt,
      ...(asked.kind === 'timer' && { until: askedAt + asked.ms }),
    }));
    return [...steps, ...this.signals.waitingFor()];
  }

  #grow(text: string | undefined): void {
    this.#length++;
    this.meter.add(text);
  }

  #answer(event: JournalEvent): void {
    const step = this.pending.get(event.step);
    checkAnswersTheQuestion(this.id, event, step?.asked);
    if (step === undefined) return;
    this.pending.delete(event.step);
    if (event.error === undefined) step.resolve(decodePayload(event.result));
    else step.reject(this.#stepError(step.asked, event.error));
  }

  #stepError(asked: AskedStep, { attempts = 1, ...failure }: NonNullable<JournalEvent['error']>): Error {
    if (asked.kind === 'activity') return activityFailed({ activity: asked.name, attempts, ...failure });
    if (asked.kind === 'child' && failure.code === 'WORKFLOW_CANCELLED')
      return workflowCancelled(asked.childId, failure.message);
    return workflowFailed(asked.kind === 'child' ? asked.childId : this.id, failure);
  }

  #cancel(reason: string): void {
    if (this.#cancelReason !== undefined) return;
    this.#cancelReason = reason;
    const error = workflowCancelled(this.id, reason);
    for (const [number, step] of this.pending) {
      if (step.shielded) continue;
      this.drop(number);
      step.reject(error);
    }
    this.signals.cancel(error);
  }

  #endOf(error: unknown): End {
    if (error instanceof ContinueAsNew) {
      const input = encodePayload(error.input, `the input of the next run of ${this.id}`) ?? 'null';
      return { kind: 'continued', input, carried: this.signals.untaken() };
    }
    const failure = toFailure(error);
    const cancelled =
      error instanceof DurableError && error.code === 'WORKFLOW_CANCELLED' && this.#cancelReason !== undefined;
    return cancelled
      ? { kind: 'cancelled', failure: { code: failure.code, message: this.#cancelReason ?? '' } }
      : { kind: 'failed', failure };
  }

  #finish(make: () => End): void {
    if (this.#end !== undefined) return;
    try {
      this.#end = make();
    } catch (error) {
      this.#end = { kind: 'failed', failure: toFailure(error) };
    }
    for (const number of this.pending.keys()) this.drop(number);
    this.#commands.push({ kind: 'end', end: this.#end });
  }
}

function signalOf({ name, result = 'null', signalId }: JournalEvent): CarriedSignal {
  return { name, payload: result, ...(signalId !== undefined && { signalId }) };
}
