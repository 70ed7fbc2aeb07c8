import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type {
  Acknowledgement,
  DeliverOrder,
  DeliveryReport,
  Health,
  HealthRule,
  Holding,
  Inventory,
  OrderKey,
  PreviewAnswer,
  RemoveOrder,
} from '#contexts/delivery';

/** Every field of a type, and no other: the compiler counts them. */
type FieldsOf<T, Left extends PropertyKey = never> = Readonly<Record<Exclude<keyof T, Left>, true>>;
/** The same for each kind of a union, without what all of them have. */
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
  } satisfies FieldsOf<DeliverOrder, 'kind' | 'target'>,
  RemoveOrder: { deployment: true, revision: true } satisfies FieldsOf<RemoveOrder, 'kind' | 'target'>,
  HealthRule: { apiGroup: true, kind: true, healthy: true } satisfies FieldsOf<HealthRule>,
  Inventory: { instance: true, holdings: true } satisfies FieldsOf<Inventory, 'target'>,
  Holding: { deployment: true, revision: true, hash: true, health: true, message: true } satisfies FieldsOf<Holding>,
};

const PREVIEW = { message: true, changes: true } satisfies FieldsOf<PreviewAnswer, 'kind'>;

/** Messages that are one of several, each of which is a message of its own inside. */
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

const HEALTHS = { Available: true, Degraded: true, Unknown: true } satisfies Record<Health, true>;
const DRIFT_POLICIES = { report: true, repair: true } satisfies Record<DeliverOrder['driftPolicy'], true>;

/** What is called otherwise out there. */
const RENAMED: Readonly<Record<string, string>> = { deployment: 'deploymentUid', documents: 'manifests' };
const ENVELOPES = ['ToAgent', 'ToPlatform'];

interface Message {
  /** Those of a oneof not included. */
  readonly fields: Map<string, { readonly type: string; readonly number: number }>;
  readonly choices: Map<string, { readonly type: string; readonly number: number }>;
}

/** Enough of the language for this one file: messages, oneofs and enums, one thing on a line. */
function readProto(): { messages: Map<string, Message>; enums: Map<string, string[]> } {
  const text = readFileSync(new URL('./delivery.proto', import.meta.url), 'utf8');
  const [messages, enums] = [new Map<string, Message>(), new Map<string, string[]>()];
  const open: { kind: string; name: string }[] = [];
  const here = (): string =>
    open
      .filter(({ kind }) => kind === 'message')
      .map(({ name }) => name)
      .join('.');
  for (const line of text.split('\n').map((each) => each.replace(/\/\/.*/, '').trim())) {
    const [, kind, name = '', isClosed] = /^(message|oneof|enum) (\w+) \{(\})?$/.exec(line) ?? [];
    if (kind !== undefined) {
      open.push({ kind, name });
      if (kind === 'message') messages.set(here(), { fields: new Map(), choices: new Map() });
      if (kind === 'enum') enums.set(name, []);
      if (isClosed === '}') open.pop();
    } else if (line === '}') open.pop();
    else if (open.at(-1)?.kind === 'enum') enums.get(open.at(-1)?.name ?? '')?.push(line.split(' ')[0] ?? '');
    else if (open.length > 0 && line !== '') {
      const [, type = '', field = '', number] = /^(?:optional |repeated )?(\w+) (\w+) = (\d+);$/.exec(line) ?? [];
      assert.ok(number !== undefined, `a line that nobody understands: ${line}`);
      const { fields, choices } = messages.get(here()) ?? assert.fail(line);
      (open.at(-1)?.kind === 'oneof' ? choices : fields).set(camel(field), { type, number: Number(number) });
    }
  }
  return { messages, enums };
}

function camel(name: string): string {
  return name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function namesOut(fields: object): string[] {
  return Object.keys(fields)
    .map((name) => RENAMED[name] ?? name)
    .sort((a, b) => a.localeCompare(b));
}

const { messages, enums } = readProto();

function message(name: string): Message {
  return messages.get(name) ?? assert.fail(`there is no message ${name}`);
}

for (const [name, fields] of Object.entries(MESSAGES)) {
  test(`${name} has the fields of its type`, () => {
    assert.deepEqual(namesOut(Object.fromEntries(message(name).fields)), namesOut(fields));
    assert.equal(message(name).choices.size, 0);
  });
}

for (const [name, { common, kinds }] of Object.entries(UNIONS)) {
  test(`${name} is one of the kinds of its type, each with its fields`, () => {
    const { fields, choices } = message(name);
    assert.deepEqual(namesOut(Object.fromEntries(fields)), namesOut(common));
    assert.deepEqual(namesOut(Object.fromEntries(choices)), namesOut(kinds));
    for (const [kind, wanted] of Object.entries(kinds)) {
      const inner = message(`${name}.${choices.get(kind)?.type}`);
      assert.deepEqual(namesOut(Object.fromEntries(inner.fields)), namesOut(wanted), kind);
    }
  });
}

test('there is no message that nobody knows', () => {
  const known = [...ENVELOPES, ...Object.keys(MESSAGES), ...Object.keys(UNIONS)];
  const outer = [...messages.keys()].filter((name) => !name.includes('.'));
  assert.deepEqual(
    outer.toSorted((a, b) => a.localeCompare(b)),
    known.toSorted((a, b) => a.localeCompare(b)),
  );
});

test('what goes down are orders, and what goes up are answers, reports and inventories', () => {
  const typesOf = (name: string) => Array.from(message(name).choices.values(), ({ type }) => type);
  assert.deepEqual(typesOf('ToAgent'), ['DeliverOrder', 'RemoveOrder', 'OrderKey', 'DeliverOrder', 'RemoveOrder']);
  assert.deepEqual(typesOf('ToPlatform'), ['Acknowledgement', 'PreviewAnswer', 'DeliveryReport', 'Inventory']);
});

test('values of closed sets are those of the types, after one that means that nobody said', () => {
  const valuesOf = (name: string, prefix: string, values: object) => [
    name,
    [`${prefix}_UNSPECIFIED`, ...Object.keys(values).map((value) => `${prefix}_${value.toUpperCase()}`)],
  ];
  const wanted = [valuesOf('DriftPolicy', 'DRIFT_POLICY', DRIFT_POLICIES), valuesOf('Health', 'HEALTH', HEALTHS)];
  assert.deepEqual([...enums], wanted);
});

test('no number of a message stands for two fields', () => {
  for (const [name, { fields, choices }] of messages) {
    const numbers = Array.from([...fields.values(), ...choices.values()], ({ number }) => number);
    assert.equal(new Set(numbers).size, numbers.length, name);
  }
});
