import { backoffDelay, type Clock, type Random } from '#kit/std';
import type { ActivityImplementation, RetryPolicy } from '../activity.ts';
import { DurableError } from '../durable-error.ts';
import { isNonRetryable, toFailure } from '../failure.ts';
import { decodePayload, encodePayload } from '../payload.ts';
import type { Attempts } from './journal.ts';
import type { AskedStep, StepFailure } from './journal-event.ts';

export type ActivityStep = Extract<AskedStep, { kind: 'activity' }>;

export type ActivityOutcome =
  | { readonly kind: 'done'; readonly result: string | undefined }
  | { readonly kind: 'failed'; readonly error: StepFailure }
  | { readonly kind: 'retry'; readonly attempts: Attempts };

export interface ActivityStart {
  readonly workflowId: string;
  readonly run: number;
  readonly step: ActivityStep;
  /** Failed attempts so far. */
  readonly before: Attempts | undefined;
  /** Called once, unless the activity was stopped before. */
  onOutcome(outcome: ActivityOutcome): void;
}

export interface ActivityRunnerOptions {
  readonly implementations: ReadonlyMap<string, ActivityImplementation>;
  readonly clock: Clock;
  readonly random: Random;
  /** Concurrent attempts, over all workflows. */
  readonly concurrency: number;
}

/** Runs activity attempts with bounded concurrency, in the order of the calls. */
export class ActivityRunner {
  readonly #options: ActivityRunnerOptions;
  readonly #waiting = new Set<() => void>();
  #running = 0;

  constructor(options: ActivityRunnerOptions) {
    this.#options = options;
  }

  /** Returns a function that stops the activity: its signal aborts, and its outcome is not reported. */
  start(start: ActivityStart): (reason: unknown) => void {
    const stop = new AbortController();
    const begin = (): void => {
      this.#running++;
      const ended = (): void => {
        this.#running--;
        this.#next();
      };
      this.#attempt(start, stop).then(ended, ended);
    };
    const delay = Math.max(0, (start.before?.retryAt ?? 0) - this.#options.clock.now());
    const timer = delay > 0 ? setTimeout(() => this.#admit(begin), delay) : undefined;
    if (timer === undefined) this.#admit(begin);
    return (reason) => {
      clearTimeout(timer);
      this.#waiting.delete(begin);
      stop.abort(reason);
    };
  }

  #admit(begin: () => void): void {
    if (this.#running < this.#options.concurrency) begin();
    else this.#waiting.add(begin);
  }

  #next(): void {
    const [begin] = this.#waiting;
    if (begin === undefined || this.#running >= this.#options.concurrency) return;
    this.#waiting.delete(begin);
    begin();
  }

  async #attempt(start: ActivityStart, stop: AbortController): Promise<void> {
    const attempt = (start.before?.attempts ?? 0) + 1;
    const watch = new Watch(start.step, stop);
    let outcome: ActivityOutcome;
    try {
      const result = await Promise.race([this.#call(start, attempt, watch), watch.aborted]);
      outcome = { kind: 'done', result: encodePayload(result, `the result of activity ${start.step.name}`) };
    } catch (error) {
      outcome = this.#afterFailure(start.step, attempt, error);
    } finally {
      watch.end();
    }
    if (!watch.stopped) start.onOutcome(outcome);
  }

  async #call({ workflowId, run, step }: ActivityStart, attempt: number, watch: Watch) {
    const implementation = this.#options.implementations.get(step.name);
    if (implementation === undefined) {
      throw new DurableError('ACTIVITY_UNKNOWN', `no activity ${step.name} is registered; start code that has it`);
    }
    return await implementation.run(decodePayload(step.input) ?? null, {
      signal: watch.signal,
      attempt,
      workflowId,
      idempotencyKey: `${workflowId}/${run}/${step.number}`,
      heartbeat: () => watch.heartbeat(),
    });
  }

  #afterFailure(step: ActivityStep, attempts: number, error: unknown): ActivityOutcome {
    const failure = { ...toFailure(error), attempts };
    const policy = step.options.retry;
    if (policy === undefined || isFinal(policy, attempts, error)) return { kind: 'failed', error: failure };
    const retryAt = this.#options.clock.now() + backoffDelay(policy.backoff, attempts, this.#options.random);
    return { kind: 'retry', attempts: { attempts, retryAt, error: failure } };
  }
}

/** An unknown activity is retried like any failed one: the next release may have its code. */
function isFinal(policy: RetryPolicy, attempts: number, error: unknown): boolean {
  if (attempts >= policy.attempts || policy.nonRetryable?.includes(toFailure(error).code)) return true;
  return isNonRetryable(error);
}

/** The timers of one attempt: the time limit and the heartbeat timeout. */
class Watch {
  readonly aborted: Promise<never>;
  readonly #stop: AbortController;
  readonly #abort = new AbortController();
  readonly #timeout: NodeJS.Timeout | undefined;
  readonly #silence: NodeJS.Timeout | undefined;

  constructor({ name, options }: ActivityStep, stop: AbortController) {
    this.#stop = stop;
    const { timeoutMs, heartbeatMs } = options;
    this.aborted = new Promise<never>((_, reject) => {
      this.#abort.signal.addEventListener('abort', () => reject(this.#abort.signal.reason), { once: true });
    });
    // Prevents an unhandled rejection if nothing awaits it any more.
    this.aborted.catch(() => {});
    const giveUp = (what: string) => () => this.#abort.abort(new ActivityTimeout(`activity ${name} ${what}`));
    if (timeoutMs !== undefined) this.#timeout = setTimeout(giveUp(`took more than ${timeoutMs} ms`), timeoutMs);
    if (heartbeatMs !== undefined) this.#silence = setTimeout(giveUp(`was silent for ${heartbeatMs} ms`), heartbeatMs);
    if (stop.signal.aborted) this.#forward();
    else stop.signal.addEventListener('abort', this.#forward, { once: true });
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get stopped(): boolean {
    return this.#stop.signal.aborted;
  }

  heartbeat(): void {
    this.#silence?.refresh();
  }

  end(): void {
    clearTimeout(this.#timeout);
    clearTimeout(this.#silence);
    this.#stop.signal.removeEventListener('abort', this.#forward);
  }

  readonly #forward = (): void => this.#abort.abort(this.#stop.signal.reason);
}

class ActivityTimeout extends Error {
  override readonly name = 'TIMED_OUT';
}
