import type { BackoffPolicy } from '#kit/std';

/** JSON, where a field may be left out: inputs and results are stored, and read by later releases. */
export type Payload =
  | string
  | number
  | boolean
  | null
  | readonly Payload[]
  | { readonly [key: string]: Payload | undefined };

export interface RetryPolicy {
  /** The first try counts. */
  readonly attempts: number;
  readonly backoff: BackoffPolicy;
  /** Error codes that no further try can mend. */
  readonly nonRetryable?: readonly string[];
}

export interface ActivityOptions {
  readonly retry?: RetryPolicy;
  /** How long one try may take. */
  readonly timeoutMs?: number;
  /** A try that gives no sign of life for this long is given up. */
  readonly heartbeatMs?: number;
}

export const DEFAULT_ACTIVITY_OPTIONS = {
  retry: { attempts: 5, backoff: { baseMs: 1_000, capMs: 60_000 } },
  timeoutMs: 60_000,
} as const satisfies ActivityOptions;

/**
 * The name and the types of something that touches the world. Workflows import this, never the code that does it: that
 * code lives where the world is, and is registered with the engine under the same name.
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

/** What a running try is told, and can tell. */
export interface ActivityEnvironment {
  /** Aborts when the workflow was cancelled, the try timed out or fell silent, or the engine stops. */
  readonly signal: AbortSignal;
  /** 1 for the first try. */
  readonly attempt: number;
  readonly workflowId: string;
  /** The same for every try of this step and for no other: hand it on to whoever must not do a thing twice. */
  readonly idempotencyKey: string;
  /** A sign of life. */
  heartbeat(): void;
}

export interface ActivityImplementation {
  readonly name: string;
  run(input: Payload, environment: ActivityEnvironment): Promise<Payload | undefined>;
}

/** May be called again for the same step, after a failure or a crash: it does nothing that must not be done twice. */
export function implementActivity<I extends Payload, O extends Payload | undefined>(
  activity: Activity<I, O>,
  run: (input: I, environment: ActivityEnvironment) => Promise<undefined extends O ? O | void : O>,
): ActivityImplementation {
  // What arrives was checked against the declaration's type where it was sent from.
  return { name: activity.name, run: async (input, environment) => (await run(input as I, environment)) as O };
}
