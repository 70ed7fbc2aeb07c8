import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DescField, DescMessage } from '@bufbuild/protobuf';
import type {
  Acknowledgement,
  DeliverOrder,
  DeliveryReport,
  HealthRule,
  Holding,
  Inventory,
  OrderKey,
  OrderOrigin,
  PreviewAnswer,
  RemoveOrder,
} from '#protocol/delivery';
import { DRIFT_POLICIES, HEALTHS } from '#protocol/delivery';
import { file_fleetshift_v1_delivery as file } from './gen/fleetshift/v1/delivery_pb.ts';

/** Lists every field of a type and no other; the compiler checks it. */
type FieldsOf<T, Left extends PropertyKey = never> = Readonly<Record<Exclude<keyof T, Left>, true>>;
/** The same for each kind of a union, without the fields that all kinds share. */
type KindsOf<U extends { kind: string }, Left extends PropertyKey = never> = {
  readonly [K in U['kind']]: FieldsOf<Extract<U, { kind: K }>, 'kind' | Left>;
};

/** The envelope names the target. */
const MESSAGES = {
  OrderKey: { deployment: true, revision: true } satisfies FieldsOf<OrderKey, 'target'>,
  DeliverOrder: {
    deployment: true,
    revision: true,
    hash: true,
    documents: true,
    namespace: true,
    healthRules: true,
    driftPolicy: true,
    secretPlaces: true,
    origin: true,
  } satisfies FieldsOf<DeliverOrder, 'kind' | 'target'>,
  RemoveOrder: { deployment: true, revision: true, origin: true } satisfies FieldsOf<RemoveOrder, 'kind' | 'target'>,
  Origin: { instance: true, incarnation: true, restores: true } satisfies FieldsOf<OrderOrigin>,
  HealthRule: { apiGroup: true, kind: true, healthy: true } satisfies FieldsOf<HealthRule>,
  Inventory: { instance: true, holdings: true } satisfies FieldsOf<Inventory, 'target'>,
  Holding: { deployment: true, revision: true, hash: true, health: true, message: true } satisfies FieldsOf<Holding>,
};

const PREVIEW = { message: true, changes: true } satisfies FieldsOf<PreviewAnswer, 'kind'>;

/** Messages with a oneof whose cases are messages of their own. */
const UNIONS = {
  Acknowledgement: {
    common: {},
    kinds: {
      accepted: {},
      offline: {},
      rejected: { message: true },
      fenced: { seen: true },
    } satisfies KindsOf<Acknowledgement>,
  },
  DeliveryReport: {
    common: { deployment: true, revision: true },
    kinds: {
      applied: { hash: true },
      removed: {},
      rejected: { message: true },
      failed: { message: true },
      health: { health: true, message: true },
      drift: { objects: true },
    } satisfies KindsOf<DeliveryReport, 'target' | 'deployment' | 'revision'>,
  },
  PreviewAnswer: {
    common: {},
    kinds: { wouldApply: PREVIEW, wouldReject: PREVIEW, cannotTell: {} } satisfies Readonly<
      Record<PreviewAnswer['kind'] | 'cannotTell', object>
    >,
  },
};

/** Fields that have a different name in the proto. */
const RENAMED: Readonly<Record<string, string>> = { deployment: 'deploymentUid', documents: 'manifests' };
const ENVELOPES = ['ToAgent', 'FromAgent', 'StatusMessage'];

interface Fields {
  /** Fields outside of any oneof. */
  readonly own: readonly DescField[];
  readonly choices: readonly DescField[];
}

function message(name: string): DescMessage {
  return file.messages.find((each) => each.name === name) ?? assert.fail(`there is no message ${name}`);
}

function fieldsOf({ fields }: DescMessage): Fields {
  const { own = [], choices = [] } = Object.groupBy(fields, ({ oneof }) => (oneof === undefined ? 'own' : 'choices'));
  return { own, choices };
}

function namesIn(fields: readonly DescField[]): string[] {
  return fields.map(({ localName }) => localName).sort((a, b) => a.localeCompare(b));
}

function namesOut(fields: object): string[] {
  return Object.keys(fields)
    .map((name) => RENAMED[name] ?? name)
    .sort((a, b) => a.localeCompare(b));
}

for (const [name, fields] of Object.entries(MESSAGES)) {
  test(`${name} has the fields of its type`, () => {
    const { own, choices } = fieldsOf(message(name));
    assert.deepEqual(namesIn(own), namesOut(fields));
    assert.deepEqual(choices, []);
  });
}

for (const [name, { common, kinds }] of Object.entries(UNIONS)) {
  test(`${name} is one of the kinds of its type, each with its fields`, () => {
    const { own, choices } = fieldsOf(message(name));
    assert.deepEqual(namesIn(own), namesOut(common));
    assert.deepEqual(namesIn(choices), namesOut(kinds));
    for (const [kind, wanted] of Object.entries(kinds)) {
      const inner = choices.find(({ localName }) => localName === kind)?.message;
      assert.equal(inner?.parent?.name, name, kind);
      assert.deepEqual(namesIn(inner.fields), namesOut(wanted), kind);
    }
  });
}

test('there is no message that nobody knows', () => {
  const known = [...ENVELOPES, ...Object.keys(MESSAGES), ...Object.keys(UNIONS)];
  assert.deepEqual(
    file.messages.map(({ name }) => name).toSorted((a, b) => a.localeCompare(b)),
    known.toSorted((a, b) => a.localeCompare(b)),
  );
});

test('what goes down are orders, and what comes up are answers to them, reports and inventories', () => {
  const typesOf = (name: string) => fieldsOf(message(name)).choices.map((field) => field.message?.name);
  assert.deepEqual(typesOf('ToAgent'), ['DeliverOrder', 'RemoveOrder', 'OrderKey', 'DeliverOrder', 'RemoveOrder']);
  assert.deepEqual(typesOf('FromAgent'), ['Acknowledgement', 'PreviewAnswer', 'Cancelled', 'AgentFault']);
  assert.deepEqual(typesOf('StatusMessage'), ['DeliveryReport', 'Inventory']);
});

test('values of closed sets are those of the types, after one that means that nobody said', () => {
  const valuesOf = (name: string, prefix: string, values: readonly string[]) => [
    name,
    [`${prefix}_UNSPECIFIED`, ...values.map((value) => `${prefix}_${value.toUpperCase()}`)],
  ];
  const wanted = [valuesOf('DriftPolicy', 'DRIFT_POLICY', DRIFT_POLICIES), valuesOf('Health', 'HEALTH', HEALTHS)];
  assert.deepEqual(
    file.enums.map(({ name, values }) => [name, values.map((value) => value.name)]),
    wanted,
  );
});
