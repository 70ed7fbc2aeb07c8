import type { ApiStatus } from '../domain/api-status.ts';
import type { DeliveryPolicy } from '../domain/delivery-policy.ts';
import { heldHash } from '../domain/drift.ts';
import { conflictMessage, conflictsOf } from '../domain/field-conflict.ts';
import { forApply } from '../domain/ignore-fields.ts';
import { immutableFields, immutableStep } from '../domain/immutable-fields.ts';
import type { InventoryEntry } from '../domain/inventory.ts';
import { keyText } from '../domain/kube-object.ts';
import { takenMessage, wasMadeByUs } from '../domain/ownership.ts';
import type { ClusterApi } from './ports.ts';
import type { PlannedObject } from './survey.ts';

export type AppliedAnswer =
  | { readonly kind: 'done'; readonly entry: InventoryEntry }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'waiting'; readonly message: string };

export interface ApplyObjectDeps {
  readonly cluster: ClusterApi;
  readonly policy: DeliveryPolicy;
}

/** Applies one object, and knows what a refusal means. */
export async function applyObject(
  { cluster, policy }: ApplyObjectDeps,
  planned: PlannedObject,
  signal: AbortSignal,
): Promise<AppliedAnswer> {
  const { key, object, live, patterns, sent, step } = planned;
  if (step.kind !== 'apply') throw new TypeError(`${keyText(key)} is not to be applied`);
  const answer = await cluster.apply(forApply(object, live, patterns), { force: step.force, dryRun: false }, signal);
  if (answer.kind === 'notYet') return { kind: 'waiting', message: answer.message };
  if (answer.kind === 'refused') return await afterRefusal({ cluster, policy, status: answer.status }, planned, signal);
  const made = answer.object;
  const { origin } = step;
  // Somebody may have made it between our look and our apply.
  const isTaken = origin === 'created' && live === undefined && !wasMadeByUs(made);
  if (isTaken && policy.onConflict === 'fail') return { kind: 'failed', message: takenMessage(key, made) };
  const held = heldHash(made, patterns);
  return { kind: 'done', entry: { key, uid: made.metadata.uid, origin: isTaken ? 'adopted' : origin, sent, held } };
}

async function afterRefusal(
  { cluster, policy, status }: ApplyObjectDeps & { readonly status: ApiStatus },
  { key, live }: PlannedObject,
  signal: AbortSignal,
): Promise<AppliedAnswer> {
  const conflicts = conflictsOf(status);
  if (conflicts !== undefined) return { kind: 'failed', message: conflictMessage(key, conflicts) };
  const fields = immutableFields(status);
  const uid = live?.metadata.uid;
  if (fields === undefined || uid === undefined) {
    return {
      kind: 'failed',
      message: `${keyText(key)}: ${status.message ?? status.reason ?? 'the server refuses it'}.`,
    };
  }
  const step = immutableStep(key, fields, policy.onImmutable);
  if (step.kind === 'refuse') return { kind: 'failed', message: step.message };
  // Made anew when it is carried out the next time: until it is gone there is nothing to make.
  await cluster.delete(key, uid, signal);
  return { kind: 'waiting', message: `${keyText(key)} is being replaced` };
}
