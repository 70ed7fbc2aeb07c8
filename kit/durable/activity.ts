import type { BackoffPolicy } from '#kit/std';

/** JSON values. Inputs and results cross processes and releases, so nothing else is allowed. */
export type Payload =
  | string
  | number
  | boolean
  | null
  | readonly Payload[]
  | { readonly [key: string]: Payload | undefined };

export interface RetryPolicy {
  /** Includes the first attempt. */
  readonly attempts: number;
  readonly backoff: BackoffPolicy;
  /** Error codes that a retry cannot fix. */
  readonly nonRetryable?: readonly string[];
}

export interface ActivityOptions {
  readonly retry?: RetryPolicy;
  /** Time limit of one attempt. */
  readonly timeoutMs?: number;
  /** An attempt without a heartbeat for this long is given up. */
  readonly heartbeatMs?: number;
}

export const DEFAULT_ACTIVITY_OPTIONS = {
  retry: { attempts: 5, backoff: { baseMs: 1_000, capMs: 60_000 } },
  timeoutMs: 60_000,
} as const satisfies ActivityOptions;

/**
 * The name and types of a function with side effects. Workflows import this declaration, never the implementation: that
 * is registered with the engine under the same name.
 */
export interface Activity<I extends Payload, O extends Payload | undefined> {
  readonly kind: 'activity';
  readonly name: string;
  readonly options: ActivityOptions;
  /** Only for the types. */
  readonly types?: { readonly input: I; readonly output: O };
}

export function defineActivity<I extends Payload, O extends Payload | undefined = undefined>(
  name: string,
  options: ActivityOptions = {},
): Activity<I, O> {
  return { kind: 'activity', name, options };
}

/** The environment of a running attempt. */
export interface ActivityEnvironment {
  /** Aborts when the workflow was cancelled, the attempt timed out or missed its heartbeats, or the engine stops. */
  readonly signal: AbortSignal;
  /** 1 for the first attempt. */
  readonly attempt: number;
  readonly workflowId: string;
  /** The same for all attempts of this step and unique to it: pass it on to systems that must not do the work twice. */
  readonly idempotencyKey: string;
  /** Reports that the attempt is alive. */
  heartbeat(): void;
}

export interface ActivityImplementation {
  readonly name: string;
  run(input: Payload, environment: ActivityEnvironment): Promise<Payload | undefined>;
}

/** May be called again for the same step, after a failure or a crash, so it must be idempotent. */
export function implementActivity<I extends Payload, O extends Payload | undefined>(
  activity: Activity<I, O>,
  run: (input: I, environment: ActivityEnvironment) => Promise<undefined extends O ? O | void : O>,
): ActivityImplementation {
  // The value was checked against the declared type where it was sent.
  return { name: activity.name, run: async (input, environment) => (await run(input as I, environment)) as O };
}
