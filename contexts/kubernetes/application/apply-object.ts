import { deletionMessage } from '../domain/deletion-message.ts';
import type { DeliveryPolicy } from '../domain/delivery-policy.ts';
import { heldHash } from '../domain/drift.ts';
import { forApply } from '../domain/ignore-fields.ts';
import type { InventoryEntry } from '../domain/inventory.ts';
import { type KubeObject, keyText } from '../domain/kube-object.ts';
import { takenMessage, wasMadeByUs } from '../domain/ownership.ts';
import { isPreconditionFailure, refusalStep } from '../domain/refusal.ts';
import type { ClusterApi } from './ports.ts';
import type { PlannedObject } from './survey.ts';

export type AppliedAnswer =
  | { readonly kind: 'done'; readonly entry: InventoryEntry; readonly object: KubeObject }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'waiting'; readonly message: string }
  /** The object is no longer the version that was expected. */
  | { readonly kind: 'changed' };

export interface ApplyObjectDeps {
  readonly cluster: ClusterApi;
  readonly policy: DeliveryPolicy;
  /** Apply only if the object still has the resource version that was seen. */
  readonly isGuarded?: boolean;
}

/** Applies one object, and decides what to do when the server refuses it. */
export async function applyObject(
  { cluster, policy, isGuarded = false }: ApplyObjectDeps,
  { key, object, live, patterns, sent, step, isSighted }: PlannedObject,
  signal: AbortSignal,
): Promise<AppliedAnswer> {
  if (step.kind !== 'apply') throw new TypeError(`${keyText(key)} is not to be applied`);
  const { uid, resourceVersion } = live?.metadata ?? {};
  const body = forApply(object, live, patterns);
  const seen = { ...(isSighted && { uid }), ...(isGuarded && { resourceVersion }) };
  const meant = { ...body, metadata: { ...body.metadata, ...seen } };
  const answer = await cluster.apply(meant, { force: step.force, dryRun: false }, signal);
  if (answer.kind === 'notYet') return { kind: 'waiting', message: answer.message };
  if (answer.kind === 'refused') {
    if (isGuarded && isPreconditionFailure(answer.status)) return { kind: 'changed' };
    if (isSighted && isPreconditionFailure(answer.status))
      return { kind: 'waiting', message: `${keyText(key)} was recreated` };
    const next = refusalStep(key, answer.status, { onImmutable: policy.onImmutable, isThere: uid !== undefined });
    if (next.kind === 'refuse') return { kind: 'failed', message: next.message };
    // The next run creates it again. Until the old object is gone there is nothing to create.
    if (uid !== undefined) await cluster.delete(key, { uid }, signal);
    return { kind: 'waiting', message: `${keyText(key)} is being replaced` };
  }
  const made = answer.object;
  // The object was deleted between the read and the apply. The applied fields go with it; it is created again once it
  // is gone.
  const leaving = deletionMessage(made);
  if (leaving !== undefined) return { kind: 'waiting', message: `${keyText(key)} ${leaving}.` };
  const { origin } = step;
  // Another client may have created the object between the read and the apply.
  const isTaken = origin === 'created' && live === undefined && !wasMadeByUs(made);
  if (isTaken && policy.onConflict === 'fail') return { kind: 'failed', message: takenMessage(key, made) };
  const held = heldHash(made, patterns);
  const entry: InventoryEntry = { key, uid: made.metadata.uid, origin: isTaken ? 'adopted' : origin, sent, held };
  return { kind: 'done', entry, object: made };
}
