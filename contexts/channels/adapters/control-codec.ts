import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { foreignInteger, foreignList, foreignName } from '#kit/std';
import {
  ChannelModeOfStream,
  CloseReasonOfTarget,
  type FromPlatformControl,
  FromPlatformControlSchema,
  type RegisterTarget,
  Serving,
  type ToPlatformControl,
  ToPlatformControlSchema,
} from '#protocol/proto';
import {
  type ControlReply,
  type ControlRequest,
  REVERSE_MODES,
  type ReverseMode,
  SERVINGS,
  TARGET_REFUSALS,
  type TargetClaim,
  type TargetRefusal,
} from '../domain/control-message.ts';

export function encodeControlRequest(message: ControlRequest): Uint8Array {
  const init = { request: BigInt(message.request), message: wireRequest(message) };
  return toBinary(ToPlatformControlSchema, create(ToPlatformControlSchema, init));
}

/** Above the limits of the contexts behind it, which report violations properly. Anything larger is rejected unread. */
const MOST_ITEMS = 1_000;
const MOST_REPLICAS = 100;
const LARGEST_PROPERTIES = 256 * 1_024;

/** `undefined`: malformed, of a kind that this release does not know, or with values that no fleetlet sends. */
export function decodeControlRequest(payload: Uint8Array): ControlRequest | undefined {
  return tried(() => domainRequest(fromBinary(ToPlatformControlSchema, payload)));
}

export function encodeControlReply(message: ControlReply): Uint8Array {
  const init = { request: BigInt(message.request), message: wireReply(message) };
  return toBinary(FromPlatformControlSchema, create(FromPlatformControlSchema, init));
}

/** `undefined`: malformed, or of a kind that this release does not know. */
export function decodeControlReply(payload: Uint8Array): ControlReply | undefined {
  const decoded = tried(() => fromBinary(FromPlatformControlSchema, payload));
  return decoded && domainReply(decoded);
}

/** A malformed message yields `undefined`; the caller decides what to do. */
function tried<T>(decode: () => T): T | undefined {
  try {
    return decode();
  } catch {
    return undefined;
  }
}

function wireRequest(
  message: ControlRequest,
): NonNullable<MessageInitShape<typeof ToPlatformControlSchema>['message']> {
  const { kind } = message;
  switch (kind) {
    case 'registerTarget':
    case 'updateTarget':
      return { case: kind, value: wireClaim(message.claim) };
    case 'deregisterTarget':
      return { case: kind, value: { target: message.target } };
    case 'resolveData':
      return { case: kind, value: { channel: message.channel } };
    case 'listening':
      return { case: kind, value: { addresses: [...message.addresses], channels: [...message.channels] } };
  }
}

function domainRequest({ request: id, message }: ToPlatformControl): ControlRequest | undefined {
  const request = foreignInteger(id);
  const kind = message.case;
  switch (kind) {
    case 'registerTarget':
    case 'updateTarget':
      return { request, kind, claim: domainClaim(message.value) };
    case 'deregisterTarget':
      return { request, kind, target: foreignName(message.value.target) };
    case 'resolveData':
      return { request, kind, channel: foreignName(message.value.channel) };
    case 'listening':
      return { request, kind, addresses: names(message.value.addresses), channels: names(message.value.channels) };
    case undefined:
      return undefined;
  }
}

function wireReply(message: ControlReply): NonNullable<MessageInitShape<typeof FromPlatformControlSchema>['message']> {
  switch (message.kind) {
    case 'welcome': {
      const { platform, platformVersion, fleetlet, heartbeatMs, authorities, ticketKey } = message;
      return { case: 'welcome', value: { platform, platformVersion, fleetlet, heartbeatMs, authorities, ticketKey } };
    }
    case 'targetAccepted':
      return { case: 'targetAccepted', value: { target: message.target, name: message.name } };
    case 'targetRefused': {
      const { name, reason, message: why, identity = '' } = message;
      return { case: 'targetRefused', value: { name, reason: WIRE_REFUSALS[reason], message: why, identity } };
    }
    case 'targetSuperseded':
      return { case: 'targetSuperseded', value: { target: message.target, message: message.message } };
    case 'targetDeregistered':
      return { case: 'targetDeregistered', value: { target: message.target } };
    case 'openStream': {
      const { stream, channel, target, mode, deadline, key } = message;
      const value = { stream, channel, target, mode: WIRE_MODES[mode], deadline: BigInt(deadline) };
      return { case: 'openStream', value: { ...value, key: Uint8Array.from(key) } };
    }
    case 'dataRoute': {
      const { channel, addresses, ticket, ticketExpires, serverName, message: why } = message;
      const value = { channel, addresses: [...addresses], ticketExpires: BigInt(ticketExpires), serverName };
      return { case: 'dataRoute', value: { ...value, message: why, ticket: Uint8Array.from(ticket) } };
    }
    case 'syncNow':
      return { case: 'syncNow', value: { targets: [...message.targets] } };
    case 'renewCertificate':
      return { case: 'renewCertificate', value: {} };
    case 'replicaList':
      return { case: 'replicaList', value: { replicas: message.replicas.map((replica) => ({ ...replica })) } };
  }
}

function domainReply({ request: id, message }: FromPlatformControl): ControlReply | undefined {
  const request = Number(id);
  const kind = message.case;
  switch (kind) {
    case 'welcome': {
      const { platform, platformVersion, fleetlet, heartbeatMs, authorities, ticketKey } = message.value;
      return { request, kind, platform, platformVersion, fleetlet, heartbeatMs, authorities, ticketKey };
    }
    case 'targetAccepted':
      return { request, kind, target: message.value.target, name: message.value.name };
    case 'targetRefused': {
      const { name, reason, message: why, identity } = message.value;
      const issued = identity === '' ? {} : { identity };
      return { request, kind, name, reason: refusalOf(reason), message: why, ...issued };
    }
    case 'targetSuperseded':
      return { request, kind, target: message.value.target, message: message.value.message };
    case 'targetDeregistered':
      return { request, kind, target: message.value.target };
    case 'openStream': {
      const { stream, channel, target, deadline, key } = message.value;
      const mode = modeOf(message.value.mode);
      return mode && { request, kind, stream, channel, target, mode, deadline: Number(deadline), key };
    }
    case 'dataRoute': {
      const { channel, addresses, ticket, serverName, message: why } = message.value;
      const ticketExpires = Number(message.value.ticketExpires);
      return { request, kind, channel, addresses, ticket, ticketExpires, serverName, message: why };
    }
    case 'syncNow':
      return { request, kind, targets: message.value.targets };
    case 'renewCertificate':
      return { request, kind };
    case 'replicaList': {
      const replicas = message.value.replicas.slice(0, MOST_REPLICAS);
      return { request, kind, replicas: replicas.map(({ grpc, websocket }) => ({ grpc, websocket })) };
    }
    case undefined:
      return undefined;
  }
}

function wireClaim({ serving, labels, manifestTypes, ...texts }: TargetClaim) {
  return { ...texts, serving: WIRE_SERVINGS[serving], labels: { ...labels }, manifestTypes: [...manifestTypes] };
}

/** A claim that does not say `colocated` counts as a proxy, and gives way to one that does. */
function domainClaim(wire: RegisterTarget): TargetClaim {
  const { labels, properties, manifestTypes } = wire;
  const serving = SERVINGS.find((known) => WIRE_SERVINGS[known] === wire.serving) ?? 'proxy';
  names(Object.entries(labels).flat());
  if (properties.length > LARGEST_PROPERTIES) throw new RangeError('the properties are too large');
  const [name, type, instance] = [foreignName(wire.name), foreignName(wire.type), foreignName(wire.instance)];
  const agentVersion = foreignName(wire.agentVersion);
  return { name, type, serving, labels, properties, manifestTypes: names(manifestTypes), instance, agentVersion };
}

function names(raw: readonly string[]): readonly string[] {
  return foreignList(raw, MOST_ITEMS).map((name) => foreignName(name, 512));
}

/** An unknown reason, from a newer release, counts as `unavailable`. */
function refusalOf(reason: CloseReasonOfTarget): TargetRefusal {
  return TARGET_REFUSALS.find((known) => WIRE_REFUSALS[known] === reason) ?? 'unavailable';
}

function modeOf(mode: ChannelModeOfStream): ReverseMode | undefined {
  return REVERSE_MODES.find((known) => WIRE_MODES[known] === mode);
}

const WIRE_SERVINGS = { colocated: Serving.COLOCATED, proxy: Serving.PROXY } as const;
const WIRE_MODES = { bytes: ChannelModeOfStream.BYTES, relay: ChannelModeOfStream.RELAY } as const;
const WIRE_REFUSALS = {
  notBound: CloseReasonOfTarget.NOT_BOUND,
  served: CloseReasonOfTarget.SERVED,
  wrongType: CloseReasonOfTarget.WRONG_TYPE,
  invalid: CloseReasonOfTarget.INVALID,
  unavailable: CloseReasonOfTarget.UNAVAILABLE,
  sameCluster: CloseReasonOfTarget.SAME_CLUSTER,
} as const satisfies Record<TargetRefusal, CloseReasonOfTarget>;
