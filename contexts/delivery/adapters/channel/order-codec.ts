import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { foreignInteger, parseUuid } from '#kit/std';
import type { DeliverOrder, DeliveryOrder, Document, OrderKey, OrderOrigin, RemoveOrder } from '#protocol/delivery';
import {
  DeliverOrderSchema,
  DriftPolicy,
  OrderKeySchema,
  OriginSchema,
  RemoveOrderSchema,
  ToAgentSchema,
  type DeliverOrder as WireDeliverOrder,
  type OrderKey as WireOrderKey,
  type Origin as WireOrigin,
  type RemoveOrder as WireRemoveOrder,
} from '#protocol/proto';
import type { TargetRef } from '#protocol/targets';
import { DeliveryError } from '../../domain/delivery-error.ts';

/** A request of the platform to an agent. */
export type AgentRequest =
  | { readonly kind: 'dispatch' | 'preview'; readonly order: DeliveryOrder }
  | { readonly kind: 'cancel'; readonly order: OrderKey };

export function encodeRequest(request: bigint, asked: AgentRequest): Uint8Array {
  return toBinary(ToAgentSchema, create(ToAgentSchema, { request, message: messageOf(asked) }));
}

/** `asked` is `undefined` for a request of a later release; its number is decoded all the same. */
export function decodeRequest(
  payload: Uint8Array,
  target: TargetRef,
): { readonly request: bigint; readonly asked: AgentRequest | undefined } {
  const { request, message } = fromBinary(ToAgentSchema, payload);
  return { request, asked: askedOf(message, target) };
}

type WireMessage = ReturnType<typeof messageOf>;

function messageOf(asked: AgentRequest) {
  if (asked.kind === 'cancel') return { case: 'cancel', value: wireKey(asked.order) } as const;
  const isPreview = asked.kind === 'preview';
  if (asked.order.kind === 'remove') {
    const value = create(RemoveOrderSchema, { ...keyFields(asked.order), ...originField(asked.order) });
    return isPreview ? ({ case: 'previewRemove', value } as const) : ({ case: 'remove', value } as const);
  }
  const value = wireDeliver(asked.order);
  return isPreview ? ({ case: 'previewDeliver', value } as const) : ({ case: 'deliver', value } as const);
}

function askedOf(message: WireMessage | { readonly case: undefined }, target: TargetRef): AgentRequest | undefined {
  switch (message.case) {
    case 'deliver':
      return { kind: 'dispatch', order: deliverOf(message.value, target) };
    case 'remove':
      return { kind: 'dispatch', order: removeOf(message.value, target) };
    case 'previewDeliver':
      return { kind: 'preview', order: deliverOf(message.value, target) };
    case 'previewRemove':
      return { kind: 'preview', order: removeOf(message.value, target) };
    case 'cancel':
      return { kind: 'cancel', order: keyOf(message.value, target) };
    case undefined:
      return undefined;
  }
}

function keyFields({ deployment, revision }: OrderKey) {
  return { deploymentUid: deployment, revision: BigInt(revision) };
}

function wireKey(order: OrderKey): WireOrderKey {
  return create(OrderKeySchema, keyFields(order));
}

function keyOf(wire: WireOrderKey | WireRemoveOrder | WireDeliverOrder, target: TargetRef): OrderKey {
  return { target, deployment: parseUuid(wire.deploymentUid), revision: foreignInteger(wire.revision, 1) };
}

function wireDeliver(order: DeliverOrder): WireDeliverOrder {
  const { hash, documents, namespace, healthRules, driftPolicy, secretPlaces } = order;
  return create(DeliverOrderSchema, {
    ...keyFields(order),
    hash,
    manifests: documents.map((document) => JSON.stringify(document)),
    ...(namespace !== undefined && { namespace }),
    healthRules: healthRules.map(({ apiGroup, kind, healthy }) => ({
      kind,
      healthy,
      ...(apiGroup !== undefined && { apiGroup }),
    })),
    driftPolicy: driftPolicy === 'repair' ? DriftPolicy.REPAIR : DriftPolicy.REPORT,
    secretPlaces: [...secretPlaces],
    ...originField(order),
  });
}

function deliverOf(wire: WireDeliverOrder, target: TargetRef): DeliverOrder {
  const { hash, manifests, namespace, healthRules, driftPolicy, secretPlaces } = wire;
  return {
    kind: 'deliver',
    ...keyOf(wire, target),
    hash,
    documents: manifests.map(documentOf),
    ...(namespace !== undefined && { namespace }),
    healthRules: healthRules.map(({ apiGroup, kind, healthy }) => ({
      kind,
      healthy,
      ...(apiGroup !== undefined && { apiGroup }),
    })),
    // For an unknown policy, `report` is the harmless default.
    driftPolicy: driftPolicy === DriftPolicy.REPAIR ? 'repair' : 'report',
    secretPlaces,
    ...originOf(wire),
  };
}

function removeOf(wire: WireRemoveOrder, target: TargetRef): RemoveOrder {
  return { kind: 'remove', ...keyOf(wire, target), ...originOf(wire) };
}

function originField({ origin }: DeliveryOrder): { readonly origin?: WireOrigin } {
  return origin === undefined ? {} : { origin: create(OriginSchema, origin) };
}

function originOf({ origin }: Pick<WireDeliverOrder, 'origin'>): { readonly origin?: OrderOrigin } {
  if (origin === undefined) return {};
  const { instance, incarnation, restores } = origin;
  return { origin: { instance, incarnation, restores } };
}

function documentOf(text: string, index: number): Document {
  const parsed: unknown = JSON.parse(text);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new DeliveryError('BAD_MESSAGE', `Document ${index + 1} of an order is not a JSON object.`);
  }
  return parsed as Document;
}
