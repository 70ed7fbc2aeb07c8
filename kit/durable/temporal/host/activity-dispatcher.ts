import { Context, type Info } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { backoffDelay, type Random } from '../../../std/index.ts';
import type { ActivityImplementation, Payload, RetryPolicy } from '../../activity.ts';
import { DurableError } from '../../durable-error.ts';
import { isNonRetryable, toFailure } from '../../failure.ts';
import { encodePayload } from '../../payload.ts';
import { readActivityId, type TryFacts, type TryOptions } from '../wire.ts';
import { TryWatch } from './try-watch.ts';

export interface DispatcherOptions {
  readonly activities: readonly ActivityImplementation[];
  readonly workerLostMs: number;
  readonly random: Random;
}

/** The function that Temporal calls. */
type Dispatch = (input: Payload, options: TryOptions) => Promise<Payload | undefined>;

const BEAT_MS = 1_000;
/**
 * Keeps the heartbeats of all attempts together at about 100 per second, as long as no worker is considered lost
 * because of it.
 */
const BEAT_MS_PER_TRY = 10;

/** One function for all activities: Temporal calls it for every name, and it looks up the implementation. */
export function activityDispatcher({ activities, workerLostMs, random }: DispatcherOptions): Dispatch {
  const implementations = new Map(activities.map((activity) => [activity.name, activity]));
  let running = 0;
  return async (input, options) => {
    const context = Context.current();
    const failed = failedBefore(context.info);
    running += 1;
    // Temporal reports a cancel only in its response to a heartbeat.
    const beatMs = Math.min(workerLostMs / 3, Math.max(BEAT_MS, running * BEAT_MS_PER_TRY));
    const beat = setInterval(() => context.heartbeat({ failed } satisfies TryFacts), beatMs);
    try {
      return await attempt(implementations.get(context.info.activityType), input, { context, options, failed });
    } catch (error) {
      if (context.cancellationSignal.aborted) throw context.cancellationSignal.reason;
      // Stored with the failure, so that the next attempt can continue the count.
      context.heartbeat({ failed: failed + 1 } satisfies TryFacts);
      throw toApplicationFailure(error, { attempts: failed + 1, retry: options.retry, random });
    } finally {
      clearInterval(beat);
      running -= 1;
    }
  };
}

interface Attempt {
  readonly context: Context;
  readonly options: TryOptions;
  readonly failed: number;
}

async function attempt(
  implementation: ActivityImplementation | undefined,
  input: Payload,
  { context, options, failed }: Attempt,
): Promise<Payload | undefined> {
  const { activityType, activityId, workflowExecution } = context.info;
  if (implementation === undefined) {
    throw new DurableError('ACTIVITY_UNKNOWN', `no activity ${activityType} is registered; start code that has it`);
  }
  const { workflowId = '', runId = '' } = workflowExecution ?? {};
  const watch = new TryWatch(activityType, options, context.cancellationSignal);
  try {
    const running = implementation.run(input, {
      signal: watch.signal,
      attempt: failed + 1,
      workflowId,
      idempotencyKey: `${workflowId}/${runId}/${readActivityId(activityId).step}`,
      heartbeat: () => watch.heartbeat(),
    });
    // An attempt that ignores its signal is given up anyway.
    const result = await Promise.race([running, watch.aborted]);
    encodePayload(result, `the result of activity ${activityType}`);
    return result;
  } finally {
    watch.end();
  }
}

/**
 * The number of failed attempts, without those lost with their worker: a crash of the worker is not a failure of the
 * activity.
 */
function failedBefore({ heartbeatDetails }: Info): number {
  return (heartbeatDetails as TryFacts | undefined)?.failed ?? 0;
}

interface AfterFailure {
  readonly attempts: number;
  readonly retry: RetryPolicy;
  readonly random: Random;
}

function toApplicationFailure(error: unknown, { attempts, retry, random }: AfterFailure): ApplicationFailure {
  const { code, message } = toFailure(error);
  const isFinal = attempts >= retry.attempts || retry.nonRetryable?.includes(code) || isNonRetryable(error);
  return ApplicationFailure.create({
    type: code,
    message,
    details: [attempts],
    nonRetryable: isFinal === true,
    // Temporal interprets 0 as "use the retry policy".
    nextRetryDelay: Math.max(1, backoffDelay(retry.backoff, attempts, random)),
  });
}
