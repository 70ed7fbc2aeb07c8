import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { foreignInteger, foreignList, foreignName, foreignText } from '#kit/std';
import {
  FromIndexerSchema,
  type IndexDeltaSchema,
  type IndexedObjectSchema,
  ToIndexerSchema,
  type IndexDelta as WireDelta,
  type ObjectKey as WireKey,
  type IndexedObject as WireObject,
  TypeState as WireState,
} from '#protocol/proto';
import type { FromIndexer, IndexDelta, ToIndexer, TypeState } from '../../domain/index-message.ts';
import type { IndexedObject, ObjectKey } from '../../domain/indexed-object.ts';
import { ResourceIndexError } from '../../domain/resource-index-error.ts';
import { healthOf, schemaOf, WIRE_HEALTH, wireSchema } from './schema-codec.ts';

export function encodeFromIndexer(message: FromIndexer): Uint8Array {
  return toBinary(FromIndexerSchema, create(FromIndexerSchema, { message: wireUp(message) }));
}

/** Far more than an agent puts into one message. */
const MOST_CHANGES = 100_000;
const MOST_TYPES = 1_000;
const LONGEST_NAME = 512;

/**
 * `undefined` for a message of a later release. Throws `BAD_INDEX_MESSAGE` for a malformed message, and for lists and numbers
 * beyond what an agent sends. Invalid objects are removed from their delta later, by `gatherDeltas`.
 */
export function decodeFromIndexer(payload: Uint8Array): FromIndexer | undefined {
  return readable(() => fromIndexer(payload));
}

function fromIndexer(payload: Uint8Array): FromIndexer | undefined {
  const { message } = fromBinary(FromIndexerSchema, payload);
  switch (message.case) {
    case 'hello':
      return { kind: 'hello', exchange: message.value.exchange };
    case 'ask': {
      const { exchange, type, buckets } = message.value;
      return { kind: 'ask', exchange, type: foreignName(type, LONGEST_NAME), buckets: [...new Set(buckets)] };
    }
    case 'delta':
      return { kind: 'delta', ...deltaOf(message.value) };
    case 'report':
      return {
        kind: 'report',
        types: foreignList(message.value.types, MOST_TYPES).map(({ type, state, message: why, objects }) => ({
          type: foreignName(type, LONGEST_NAME),
          state: STATE_OF.get(state) ?? 'Troubled',
          message: foreignText(why, LONGEST_NAME),
          objects: foreignInteger(objects),
        })),
      };
    case undefined:
      return undefined;
  }
}

export function encodeToIndexer(message: ToIndexer): Uint8Array {
  return toBinary(ToIndexerSchema, create(ToIndexerSchema, { message: wireDown(message) }));
}

/** `undefined` for a message of a later release. Throws `BAD_INDEX_MESSAGE` for a malformed message. */
export function decodeToIndexer(payload: Uint8Array): ToIndexer | undefined {
  const { message } = readable(() => fromBinary(ToIndexerSchema, payload));
  switch (message.case) {
    case 'state': {
      const { exchange, schema, digests } = message.value;
      return {
        kind: 'state',
        exchange,
        schema: schemaOf(schema),
        digests: digests.map(({ type, sums }) => ({ type, sums: sums.map(Number) })),
      };
    }
    case 'held': {
      const { exchange, type, objects, last } = message.value;
      return {
        kind: 'held',
        exchange,
        type,
        objects: objects.map(({ namespace, name, digest }) => ({ namespace, name, digest: Number(digest) })),
        isLast: last,
      };
    }
    case 'refresh':
      return { kind: 'refresh' };
    case undefined:
      return undefined;
  }
}

type Up = NonNullable<MessageInitShape<typeof FromIndexerSchema>['message']>;
type Down = NonNullable<MessageInitShape<typeof ToIndexerSchema>['message']>;

function wireUp(message: FromIndexer): Up {
  switch (message.kind) {
    case 'hello':
      return { case: 'hello', value: { exchange: message.exchange } };
    case 'ask': {
      const { exchange, type, buckets } = message;
      return { case: 'ask', value: { exchange, type, buckets: Uint8Array.from(buckets) } };
    }
    case 'delta':
      return { case: 'delta', value: wireDelta(message) };
    case 'report':
      return {
        case: 'report',
        value: {
          types: message.types.map(({ type, state, message: why, objects }) => ({
            type,
            state: WIRE_STATES[state],
            message: why,
            objects: BigInt(objects),
          })),
        },
      };
  }
}

function wireDown(message: ToIndexer): Down {
  switch (message.kind) {
    case 'state': {
      const { exchange, schema, digests } = message;
      const sums = digests.map((each) => ({ type: each.type, sums: each.sums.map(BigInt) }));
      return { case: 'state', value: { exchange, schema: wireSchema(schema), digests: sums } };
    }
    case 'held': {
      const { exchange, type, objects, isLast } = message;
      const held = objects.map(({ namespace, name, digest }) => ({ namespace, name, digest: BigInt(digest) }));
      return { case: 'held', value: { exchange, type, objects: held, last: isLast } };
    }
    case 'refresh':
      return { case: 'refresh', value: {} };
  }
}

const WIRE_STATES = {
  Listing: WireState.LISTING,
  Followed: WireState.FOLLOWED,
  Forbidden: WireState.FORBIDDEN,
  NotServed: WireState.NOT_SERVED,
  Troubled: WireState.TROUBLED,
} as const satisfies Record<TypeState, WireState>;

const STATE_OF = new Map<WireState, TypeState>(
  (Object.entries(WIRE_STATES) as [TypeState, WireState][]).map(([state, wire]) => [wire, state]),
);

function wireDelta({ put, deleted, droppedTypes }: IndexDelta): MessageInitShape<typeof IndexDeltaSchema> {
  return {
    put: put.map(wireObject),
    deleted: deleted.map(({ type, namespace, name }) => ({ type, namespace, name })),
    droppedTypes: [...droppedTypes],
  };
}

function wireObject(object: IndexedObject): MessageInitShape<typeof IndexedObjectSchema> {
  const { key, uid, health, deployment, content, expireTime, digest } = object;
  return {
    key: { ...key },
    uid,
    health: WIRE_HEALTH[health],
    deploymentUid: deployment,
    content,
    expireTime: BigInt(expireTime),
    digest: BigInt(digest),
  };
}

function deltaOf({ put, deleted, droppedTypes }: WireDelta): IndexDelta {
  return {
    put: foreignList(put, MOST_CHANGES).map(objectOf),
    deleted: foreignList(deleted, MOST_CHANGES).map(keyOf),
    droppedTypes: foreignList(droppedTypes, MOST_TYPES),
  };
}

function objectOf(wire: WireObject): IndexedObject {
  const { key, uid, health, deploymentUid, content, expireTime, digest } = wire;
  return {
    key: keyOf(key),
    uid,
    health: healthOf(health),
    deployment: deploymentUid,
    content,
    expireTime: Number(expireTime),
    digest: Number(digest),
  };
}

function keyOf(wire: WireKey | undefined): ObjectKey {
  const { type = '', namespace = '', name = '' } = wire ?? {};
  return { type, namespace, name };
}

function readable<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new ResourceIndexError('BAD_INDEX_MESSAGE', 'The message on the index channel is malformed.', { cause });
  }
}
