import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { foreignInteger, foreignList, foreignName, foreignText, foreignTexts, parseUuid } from '#kit/std';
import { type DeliveryReport, HEALTHS, type Health, type Inventory, type TargetObservation } from '#protocol/delivery';
import {
  DeliveryReportSchema,
  InventorySchema,
  StatusMessageSchema,
  Health as WireHealth,
  type DeliveryReport as WireReport,
} from '#protocol/proto';
import type { TargetId } from '#protocol/targets';

/** A message that an agent sends on its own initiative. */
export type AgentStatus = Extract<TargetObservation, { readonly about: 'report' | 'inventory' }>;

export function encodeStatus(status: AgentStatus): Uint8Array {
  const message =
    status.about === 'report'
      ? ({ case: 'report', value: wireReport(status.report) } as const)
      : ({ case: 'inventory', value: wireInventory(status.inventory) } as const);
  return toBinary(StatusMessageSchema, create(StatusMessageSchema, { message }));
}

/** More than any target has; each of them is looked up. */
const MOST_HOLDINGS = 10_000;
/** As many drifted objects as a person reads. */
const MOST_DRIFTED = 256;
const LONGEST_OBJECT = 256;

/**
 * `undefined` for a message of a later release. Cuts and cleans texts; throws for a number, name or list out of range,
 * so that nothing of it is stored.
 */
export function decodeStatus(payload: Uint8Array, target: TargetId): AgentStatus | undefined {
  const { message } = fromBinary(StatusMessageSchema, payload);
  if (message.case === 'report') {
    const report = reportOf(message.value, target);
    return report && { about: 'report', report };
  }
  if (message.case !== 'inventory') return undefined;
  const { instance, holdings } = message.value;
  const inventory = {
    target,
    instance: foreignName(instance),
    holdings: foreignList(holdings, MOST_HOLDINGS).map(({ deploymentUid, revision, hash, health, message: text }) => ({
      deployment: parseUuid(deploymentUid),
      revision: revisionOf(revision),
      hash: foreignName(hash),
      health: healthOf(health),
      message: foreignText(text),
    })),
  };
  return { about: 'inventory', inventory };
}

function wireReport(report: DeliveryReport): WireReport {
  return create(DeliveryReportSchema, {
    deploymentUid: report.deployment,
    revision: BigInt(report.revision),
    kind: wireKind(report),
  });
}

function wireKind(report: DeliveryReport): NonNullable<MessageInitShape<typeof DeliveryReportSchema>['kind']> {
  switch (report.kind) {
    case 'applied':
      return { case: 'applied', value: { hash: report.hash } };
    case 'removed':
      return { case: 'removed', value: {} };
    case 'rejected':
      return { case: 'rejected', value: { message: report.message } };
    case 'failed':
      return { case: 'failed', value: { message: report.message } };
    case 'health':
      return { case: 'health', value: { health: WIRE_HEALTH[report.health], message: report.message } };
    case 'drift':
      return { case: 'drift', value: { objects: [...report.objects] } };
  }
}

function reportOf({ deploymentUid, revision, kind }: WireReport, target: TargetId): DeliveryReport | undefined {
  const about = { target, deployment: parseUuid(deploymentUid), revision: revisionOf(revision) };
  switch (kind.case) {
    case 'applied':
      return { ...about, kind: 'applied', hash: foreignName(kind.value.hash) };
    case 'removed':
      return { ...about, kind: 'removed' };
    case 'rejected':
    case 'failed':
      return { ...about, kind: kind.case, message: foreignText(kind.value.message) };
    case 'health':
      return {
        ...about,
        kind: 'health',
        health: healthOf(kind.value.health),
        message: foreignText(kind.value.message),
      };
    case 'drift':
      return { ...about, kind: 'drift', objects: foreignTexts(kind.value.objects, MOST_DRIFTED, LONGEST_OBJECT) };
    case undefined:
      return undefined;
  }
}

/** Revisions start at 1. */
function revisionOf(wire: bigint): number {
  return foreignInteger(wire, 1);
}

function wireInventory({ instance, holdings }: Inventory) {
  return create(InventorySchema, {
    instance,
    holdings: holdings.map(({ deployment, revision, hash, health, message }) => ({
      deploymentUid: deployment,
      revision: BigInt(revision),
      hash,
      health: WIRE_HEALTH[health],
      message,
    })),
  });
}

const WIRE_HEALTH = {
  Available: WireHealth.AVAILABLE,
  Degraded: WireHealth.DEGRADED,
  Unknown: WireHealth.UNKNOWN,
  Progressing: WireHealth.PROGRESSING,
} as const satisfies Record<Health, WireHealth>;

/** Values unknown to this release count as `Unknown`. */
function healthOf(wire: WireHealth): Health {
  return HEALTHS.find((health) => WIRE_HEALTH[health] === wire) ?? 'Unknown';
}
