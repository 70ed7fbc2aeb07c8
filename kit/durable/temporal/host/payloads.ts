import { defaultPayloadConverter, type Payload as WirePayload } from '@temporalio/common';
import { optionalTsToMs } from '@temporalio/common/lib/time.js';
import type { google, temporal } from '@temporalio/proto';
import type { Payload } from '../../activity.ts';
import type { WorkflowFailure } from '../../engine.ts';

type Payloads = temporal.api.common.v1.IPayloads;
type Failure = temporal.api.failure.v1.IFailure;

export function jsonOf(payload: WirePayload | null | undefined): Payload | undefined {
  return payload == null ? undefined : defaultPayloadConverter.fromPayload<Payload | undefined>(payload);
}

export function jsonAt(payloads: Payloads | null | undefined, index: number): Payload | undefined {
  return jsonOf(payloads?.payloads?.[index]);
}

/** For a timestamp or a duration: Temporal's messages have the same shape for both. */
export function millisecondsOf(time: google.protobuf.ITimestamp | null | undefined): number {
  return Math.floor(optionalTsToMs(time) ?? 0);
}

/** The innermost failure is ours; Temporal wraps it in failures that say where it happened, which is already known. */
export function failureOf(failure: Failure | null | undefined): WorkflowFailure {
  if (failure == null) return { code: 'Error', message: '' };
  if (failure.applicationFailureInfo != null) {
    return { code: failure.applicationFailureInfo.type || 'Error', message: failure.message ?? '' };
  }
  if (failure.cause != null) return failureOf(failure.cause);
  if (failure.timeoutFailureInfo != null) return { code: 'TIMED_OUT', message: failure.message ?? '' };
  if (failure.terminatedFailureInfo != null) return { code: 'TERMINATED', message: failure.message ?? '' };
  return { code: 'Error', message: failure.message ?? '' };
}
