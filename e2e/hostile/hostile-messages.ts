import { create, toBinary } from '@bufbuild/protobuf';
import {
  AccessRequestSchema,
  FromAgentSchema,
  FromIndexerSchema,
  StatusMessageSchema,
  ToPlatformControlSchema,
} from '#protocol/proto';
import type { SeededRandom } from '#testing/seeded';

/** The targets and deployments that a hostile agent refers to: its own, and others'. */
export interface Known {
  readonly targets: readonly string[];
  readonly deployments: readonly string[];
}

export const HOSTILE_CHANNELS = ['status', 'delivery', 'control', 'access', 'index'] as const;

export interface HostileMessage {
  readonly channel: (typeof HOSTILE_CHANNELS)[number];
  readonly target: string;
  readonly payload: Uint8Array;
}

const INTEGERS = [
  0n,
  1n,
  2n,
  3n,
  10_001n,
  -1n,
  2n ** 31n,
  2n ** 53n - 2n,
  2n ** 53n,
  2n ** 62n,
  2n ** 63n - 1n,
  -(2n ** 63n),
];
const TEXTS = [
  '',
  'ok',
  '\u0000',
  '\u001b[2J\u001b]0;owned\u0007',
  '\u202egnp.exe',
  'x'.repeat(70_000),
  '../../etc',
  '{"a":1}',
  '🙂',
];
const CONTENTS = ['{}', '[]', 'null', '{"labels":{},"owners":[],"conditions":[],"fields":{}}', '{"owners":1}'];

/**
 * Any message the protocol can carry, extremes first; sometimes bytes that are not a message, or a message with one
 * flipped bit.
 */
export function hostileMessage(random: SeededRandom, { targets, deployments }: Known): HostileMessage {
  const channel = random.pick(HOSTILE_CHANNELS);
  // A message about a target that its sender has not registered waits for the registration, and fills only the sender's
  // window.
  const others = [...targets, random.pick(TEXTS).slice(0, 900)];
  const target = random.next() < 0.01 ? random.pick(others) : (targets[0] ?? '');
  const make = {
    random,
    text: () => random.pick(TEXTS),
    int: () => random.pick(INTEGERS),
    uid: () => uidOf(random, deployments),
  };
  const payload = MAKERS[channel](make);
  const luck = random.next();
  if (luck < 0.05) return { channel, target, payload: Uint8Array.from({ length: 40 }, () => random.integer(0, 255)) };
  if (luck < 0.15 && payload.length > 0) {
    const turned = Uint8Array.from(payload);
    const at = random.integer(0, turned.length - 1);
    turned[at] = (turned[at] ?? 0) ^ (1 << random.integer(0, 7));
    return { channel, target, payload: turned };
  }
  return { channel, target, payload };
}

interface Make {
  readonly random: SeededRandom;
  readonly text: () => string;
  readonly int: () => bigint;
  readonly uid: () => string;
}

const MAKERS: Readonly<Record<HostileMessage['channel'], (make: Make) => Uint8Array>> = {
  status: (make) => {
    const message =
      make.random.next() < 0.7
        ? ({ case: 'report', value: { deploymentUid: make.uid(), revision: make.int(), kind: kindOf(make) } } as const)
        : ({
            case: 'inventory',
            value: { instance: make.text(), holdings: some(make.random, () => holdingOf(make)) },
          } as const);
    return toBinary(StatusMessageSchema, create(StatusMessageSchema, { message } as never));
  },
  delivery: ({ random, text, int }) => {
    const message = random.pick([
      { case: 'acknowledgement', value: { kind: { case: 'fenced', value: { seen: int() } } } },
      { case: 'acknowledgement', value: { kind: { case: 'rejected', value: { message: text() } } } },
      {
        case: 'preview',
        value: { kind: { case: 'wouldApply', value: { message: text(), changes: some(random, text) } } },
      },
      { case: 'fault', value: { message: text() } },
      { case: 'cancelled', value: {} },
    ]);
    return toBinary(FromAgentSchema, create(FromAgentSchema, { request: abs(int()), message } as never));
  },
  control: ({ random, text, int }) => {
    const labels = Object.fromEntries(some(random, () => [text(), text()] as const));
    const claim = { name: random.pick(['good', text()]), type: text(), serving: random.integer(0, 9), labels };
    const rest = {
      properties: random.pick(['{}', '[]', '{', text()]),
      manifestTypes: some(random, text),
      instance: text(),
    };
    const message = random.pick([
      { case: 'registerTarget', value: { ...claim, ...rest } },
      { case: 'updateTarget', value: { ...claim, ...rest } },
      { case: 'resolveData', value: { channel: text() } },
      { case: 'listening', value: { addresses: some(random, text), channels: some(random, text) } },
    ]);
    return toBinary(
      ToPlatformControlSchema,
      create(ToPlatformControlSchema, { request: abs(int()), message } as never),
    );
  },
  access: ({ random, text, int }) => {
    const question = random.pick([
      { case: 'resolveIdentity', value: { bearerToken: text() } },
      { case: 'lookupPermissions', value: { bearerToken: text(), permission: text() } },
    ]);
    return toBinary(AccessRequestSchema, create(AccessRequestSchema, { request: abs(int()), question } as never));
  },
  index: ({ random, text, int, uid }) => {
    const key = { type: random.pick(['v1/Pod', text()]), namespace: text(), name: random.pick(['a', text()]) };
    const object = {
      key,
      uid: text(),
      health: random.integer(0, 9),
      deploymentUid: uid(),
      content: random.pick(CONTENTS),
    };
    const put = { ...object, expireTime: int(), digest: abs(int()) };
    const types = some(random, () => ({
      type: text(),
      state: random.integer(0, 9),
      message: text(),
      objects: abs(int()),
    }));
    const message = random.pick([
      { case: 'hello', value: { exchange: random.integer(0, 2 ** 31) } },
      { case: 'ask', value: { type: text(), buckets: Uint8Array.from({ length: 300 }, () => random.integer(0, 255)) } },
      { case: 'delta', value: { put: [put], deleted: [key], droppedTypes: some(random, text) } },
      { case: 'report', value: { types } },
    ]);
    return toBinary(FromIndexerSchema, create(FromIndexerSchema, { message } as never));
  },
};

function kindOf({ random, text }: Make) {
  return random.pick([
    { case: 'applied', value: { hash: text() } },
    { case: 'removed', value: {} },
    { case: 'rejected', value: { message: text() } },
    { case: 'failed', value: { message: text() } },
    { case: 'health', value: { health: random.integer(0, 99), message: text() } },
    { case: 'drift', value: { objects: some(random, text) } },
    { case: undefined },
  ]);
}

function holdingOf({ random, text, int, uid }: Make) {
  return { deploymentUid: uid(), revision: int(), hash: text(), health: random.integer(0, 9), message: text() };
}

function uidOf(random: SeededRandom, deployments: readonly string[]): string {
  return random.pick([...deployments, ...deployments, '00000000-0000-7000-8000-000000000000', random.pick(TEXTS)]);
}

function some<T>(random: SeededRandom, make: () => T): T[] {
  return Array.from({ length: random.pick([0, 1, 2, 300]) }, make);
}

/** For types without a sign. */
function abs(value: bigint): bigint {
  return value < 0n ? -(value + 1n) : value;
}
