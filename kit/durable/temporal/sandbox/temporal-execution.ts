import { CancellationScope, upsertMemo, workflowInfo } from '@temporalio/workflow';
import type { Payload } from '../../activity.ts';
import { DurableError } from '../../durable-error.ts';
import type { WaitingFor } from '../../engine.ts';
import { workflowCancelled } from '../../failure.ts';
import { HistoryMeter } from '../../history-meter.ts';
import { LIMITS } from '../../limits.ts';
import { SignalBox } from '../../signal-box.ts';
import { type Continuation, FACTS_MEMO, type RunFacts, type RunState, type StepMark } from '../wire.ts';

/**
 * Temporal has limits of its own, and terminates a workflow at 51,200 of its events or 50 MiB. Our limits are reached
 * before that. Should a history ever grow in a way that they do not count, it still ends with our error.
 */
const BRINK = { events: 50_500, bytes: 49 * 1024 * 1024 };

export interface Ask<T> {
  readonly kind: 'activity' | 'timer' | 'child';
  readonly name: string;
  readonly shielded: boolean;
  /** As text, for measuring the history. */
  readonly input: string | undefined;
  /** For a timer. */
  readonly ms?: number;
  /** Requests the step from Temporal; called at once, or when a pause ends. */
  begin(mark: StepMark): Promise<T>;
}

interface PendingStep {
  readonly ask: Ask<unknown>;
  readonly askedAt: number;
  readonly scope: CancellationScope;
  reject(error: Error): void;
}

/** The state of a run besides the variables of its body: pending steps, signals, whether it is paused. */
export class TemporalExecution {
  readonly id: string;
  readonly signals: SignalBox;
  /** Rejects when the history has grown too long. */
  readonly tooLong: Promise<never>;
  readonly #run: number;
  // DECISION: no step lives in Temporal's own cancellable scope. A cancel is handled in one place, `cancel` below, in
  // the order of the steps, and so are timers that are no longer awaited.
  readonly #parentScope = new CancellationScope({ cancellable: false });
  readonly #pending = new Map<number, PendingStep>();
  /** Steps requested during a pause; they start when it ends. */
  readonly #held = new Map<number, () => void>();
  readonly #patches = new Set<string>();
  readonly #failTooLong: (error: Error) => void;
  readonly #meter = new HistoryMeter();
  #steps = 0;
  #length = 0;
  #paused: boolean;
  #cancelReason: string | undefined;

  constructor({ run, paused, carried }: Continuation) {
    this.id = workflowInfo().workflowId;
    this.#run = run;
    this.#paused = paused;
    this.signals = new SignalBox(carried);
    const { promise, reject } = Promise.withResolvers<never>();
    this.tooLong = promise;
    this.#failTooLong = reject;
  }

  get cancelReason(): string | undefined {
    return this.#cancelReason;
  }

  get continueAsNewDue(): boolean {
    return this.#meter.isDue;
  }

  /** Adds a step that the body waits for. */
  ask<T>(ask: Ask<T>): { readonly ended: Promise<T>; drop(): void } {
    this.checkNotCancelled(ask.shielded);
    if (this.#pending.size >= LIMITS.pendingSteps) {
      throw new DurableError(
        'TOO_MANY_PENDING',
        `${LIMITS.pendingSteps} steps of ${this.id} are pending; wait for some`,
      );
    }
    const step = ++this.#steps;
    this.#meter.weigh(ask.input);
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const scope = new CancellationScope({ cancellable: true, parent: this.#parentScope });
    const begin = (): void => {
      scope
        .run(() => ask.begin({ step, shielded: ask.shielded }))
        .then(
          (value) => this.#ended(step, value === undefined ? undefined : JSON.stringify(value), () => resolve(value)),
          (error: unknown) => this.#ended(step, String(error), () => reject(error)),
        );
    };
    this.#pending.set(step, { ask, askedAt: Date.now(), scope, reject });
    if (this.#paused) this.#held.set(step, begin);
    else begin();
    return { ended: promise, drop: () => this.#drop(step) };
  }

  notePatch(change: string): void {
    if (this.#patches.has(change)) return;
    this.#patches.add(change);
    this.#grow(undefined);
  }

  deliver(name: string, payload: Payload, signalId: string | undefined): void {
    if (signalId !== undefined && this.signals.hasSeen(signalId)) return;
    const text = JSON.stringify(payload);
    this.signals.deliver({ name, payload: text, ...(signalId !== undefined && { signalId }) });
    this.#grow(text);
  }

  setPaused(paused: boolean): void {
    if (this.#paused === paused) return;
    this.#paused = paused;
    upsertMemo({ [FACTS_MEMO]: factsOf({ run: this.#run, paused }) });
    if (paused) return;
    const held = [...this.#held.values()];
    this.#held.clear();
    for (const begin of held) begin();
  }

  cancel(reason: string): void {
    if (this.#cancelReason !== undefined) return;
    this.#cancelReason = reason;
    this.#grow(undefined);
    const error = workflowCancelled(this.id, reason);
    for (const [number, step] of this.#pending) {
      if (step.ask.shielded) continue;
      this.#drop(number);
      step.reject(error);
    }
    this.signals.cancel(error);
  }

  checkNotCancelled(shielded: boolean): void {
    if (this.#cancelReason !== undefined && !shielded) throw workflowCancelled(this.id, this.#cancelReason);
  }

  state(): RunState {
    return { paused: this.#paused, length: this.#length, waitingFor: this.#waitingFor() };
  }

  /** The state that the next run begins with. */
  continuation(): Continuation {
    return { run: this.#run + 1, paused: this.#paused, carried: this.signals.untaken() };
  }

  #waitingFor(): WaitingFor[] {
    const steps = Array.from(this.#pending, ([step, { ask, askedAt }]) => ({
      kind: ask.kind,
      name: ask.name,
      step,
      since: askedAt,
      ...(ask.ms !== undefined && { until: askedAt + ask.ms }),
    }));
    return [...steps, ...this.signals.waitingFor()];
  }

  #ended(step: number, text: string | undefined, tell: () => void): void {
    // The body may have dropped the step in the meantime: a late answer is ignored.
    if (!this.#pending.delete(step)) return;
    this.#grow(text);
    tell();
  }

  #drop(step: number): void {
    const pending = this.#pending.get(step);
    if (pending === undefined) return;
    this.#pending.delete(step);
    if (!this.#held.delete(step)) pending.scope.cancel();
  }

  #grow(text: string | undefined): void {
    this.#length++;
    this.#meter.add(text);
    const { fault } = this.#meter;
    if (fault) this.#failTooLong(fault);
    else if (isBeyond(BRINK)) {
      this.#failTooLong(new DurableError('HISTORY_TOO_LONG', `${this.#length} entries, more than Temporal can hold`));
    }
  }
}

export function factsOf({ run, paused }: Pick<Continuation, 'run' | 'paused'>): RunFacts {
  return { run, paused, startTime: workflowInfo().startTime.getTime() };
}

function isBeyond({ events, bytes }: { readonly events: number; readonly bytes: number }): boolean {
  const { historyLength, historySize } = workflowInfo();
  return historyLength >= events || historySize >= bytes;
}
