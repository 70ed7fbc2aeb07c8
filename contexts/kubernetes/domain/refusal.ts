import type { ApiStatus } from './api-status.ts';
import type { OnImmutable } from './delivery-policy.ts';
import { conflictMessage, conflictsOf } from './field-conflict.ts';
import { type ImmutableStep, immutableFields, immutableStep } from './immutable-fields.ts';
import { keyText, type ObjectKey } from './kube-object.ts';

/** Decides how to handle a refusal by the server, depending on whether the object already exists. */
export function refusalStep(
  key: ObjectKey,
  status: ApiStatus,
  { onImmutable, isThere }: { readonly onImmutable: OnImmutable; readonly isThere: boolean },
): ImmutableStep {
  const conflicts = conflictsOf(status);
  if (conflicts !== undefined) return { kind: 'refuse', message: conflictMessage(key, conflicts) };
  const fields = immutableFields(status);
  if (fields !== undefined && isThere) return immutableStep(key, fields, onImmutable);
  const why = status.message ?? status.reason ?? 'the server refuses it';
  return { kind: 'refuse', message: `${keyText(key)}: ${why}.` };
}

/** The write required a certain uid or version, and the object is gone or another one. */
export function isPreconditionFailure(status: ApiStatus): boolean {
  if (status.reason === 'Conflict') return conflictsOf(status) === undefined;
  return status.details?.causes?.some(({ field }) => field === 'metadata.uid') ?? false;
}
