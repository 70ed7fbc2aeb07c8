import type { DeliveryOrder, Document } from '#protocol/delivery';
import type { DeploymentSpec } from '../../domain/deployment/deployment.ts';
import type { DeploymentTarget } from '../../domain/deployment/deployment-target.ts';
import { leftAsItIs, sent, withoutOrder } from '../../domain/deployment/order-of-target.ts';
import type { Payload } from '../../domain/manifest/payload.ts';
import { secretPlaces } from '../../domain/manifest/secret-references.ts';
import { joinSecrets } from '../../domain/manifest/split-secrets.ts';
import type { RolloutEvent } from '../../domain/rollout/machine/rollout-event.ts';
import type { DesiredContent, Made } from './generation/desired-contents.ts';

/** The content for a row: `undefined` for a removal, `gone` if its target was deleted since the order was decided. */
export type Wanted = DesiredContent | 'gone' | undefined;

export interface PreparedDelivery {
  readonly row: DeploymentTarget;
  readonly wanted: Wanted;
  /** Set if the content was generated for it, and is not stored yet. */
  readonly made?: Made;
}

export type Content = Extract<DesiredContent, { kind: 'content' }>;

/** The content for all of them, if it is the same for all and none has it yet. */
export function sameContentIn(prepared: readonly PreparedDelivery[]): Content | undefined {
  const first = prepared[0]?.wanted;
  if (first === 'gone' || first?.kind !== 'content') return undefined;
  const isAlike = prepared.every(
    ({ row: { order, applied }, wanted }) =>
      wanted !== 'gone' &&
      wanted?.kind === 'content' &&
      wanted.hash === first.hash &&
      order?.state === 'queued' &&
      applied?.hash !== first.hash,
  );
  return isAlike ? first : undefined;
}

/** A row with its order prepared for sending. */
export interface OrderDecision {
  readonly row: DeploymentTarget;
  readonly payload?: Payload;
  readonly event?: RolloutEvent;
  readonly isSent: boolean;
  readonly assigns: boolean;
}

/** The two-phase diff: a target that already has the same content gets no order. */
export function decideOrder(
  row: DeploymentTarget,
  { wanted, isOver, now }: { readonly wanted: Wanted; readonly isOver: boolean; readonly now: number },
): OrderDecision {
  const { target, order, applied } = row;
  if (isOver) return { row: withoutOrder(row, now), isSent: false, assigns: false };
  if (wanted === undefined) return { row: sent(row, undefined, now), isSent: true, assigns: true };
  if (wanted === 'gone') {
    // Not a failure of the rollout: the target leaves it, and its row is dropped with the news of the deletion.
    const event = { kind: 'membershipChanged', joined: [], left: [target] } as const;
    return { row: withoutOrder(row, now), event, isSent: false, assigns: false };
  }
  if (wanted.kind === 'failed') {
    const failure = { reason: 'GenerateFailed', message: wanted.message, revision: order?.revision ?? 0 } as const;
    const event = { kind: 'generateFailed', target, message: wanted.message } as const;
    return { row: { ...row, order: undefined, failure, updateTime: now }, event, isSent: false, assigns: false };
  }
  const { payload, hash } = wanted;
  const isSame = order?.state === 'queued' && applied?.hash === hash;
  if (!isSame) return { row: sent(row, hash, now), payload, isSent: true, assigns: true };
  const event = { kind: 'delivered', target, changed: false } as const;
  return { row: leftAsItIs(row, now), payload, event, isSent: false, assigns: true };
}

type PlacedDocuments = { readonly documents: readonly Document[]; readonly secretPlaces: readonly string[] };

/** Builds orders from prepared rows. The same payload goes to many targets, so its secrets are joined in only once. */
export class OrderMaker {
  readonly #terms: Pick<DeploymentSpec, 'namespace' | 'healthRules' | 'driftPolicy'>;
  readonly #documents = new WeakMap<Payload, PlacedDocuments>();

  constructor({ namespace, healthRules, driftPolicy }: DeploymentSpec) {
    this.#terms = { healthRules, driftPolicy, ...(namespace === undefined ? {} : { namespace }) };
  }

  /** The row must have an order; a removal has no payload. */
  orderFor(
    { order, target: id, name, type, deployment }: DeploymentTarget,
    payload: Payload | undefined,
  ): DeliveryOrder[] {
    if (order === undefined) return [];
    const its = { target: { id, name, type }, deployment, revision: order.revision };
    if (order.kind === 'remove' || payload === undefined) return [{ ...its, kind: 'remove' }];
    const content = { hash: order.hash ?? payload.hash, ...this.#documentsOf(payload) };
    return [{ ...its, kind: 'deliver', ...content, ...this.#terms }];
  }

  #documentsOf(payload: Payload): PlacedDocuments {
    const known = this.#documents.get(payload);
    if (known !== undefined) return known;
    const made = joinSecrets(payload.documents, payload.secrets);
    if (made.kind === 'missing')
      throw new RangeError(`${made.references.length} secrets of content ${payload.hash} are missing`);
    const placed = { documents: made.value, secretPlaces: secretPlaces(payload.documents) };
    this.#documents.set(payload, placed);
    return placed;
  }
}
