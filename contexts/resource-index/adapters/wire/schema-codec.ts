import type { MessageInitShape } from '@bufbuild/protobuf';
import {
  type IndexCheckSchema,
  type IndexedTypeSchema,
  type IndexSchemaSchema,
  type IndexCheck as WireCheck,
  FieldType as WireFieldType,
  IndexHealth as WireHealth,
  type IndexSchema as WireSchema,
  type IndexedType as WireType,
} from '#protocol/proto';
import type {
  Check,
  EffectiveSchema,
  FieldType,
  IndexedKind,
  IndexField,
  IndexHealthRule,
  ObjectHealth,
} from '../../domain/index-schema.ts';

export function wireSchema({ revision, kinds }: EffectiveSchema): MessageInitShape<typeof IndexSchemaSchema> {
  return { revision, types: kinds.map(wireKind) };
}

/** Ignores additions of a later release: an agent does what it understands. */
export function schemaOf(wire: WireSchema | undefined): EffectiveSchema {
  return { revision: wire?.revision ?? '', kinds: (wire?.types ?? []).map(kindOf) };
}

export const WIRE_HEALTH = {
  Healthy: WireHealth.HEALTHY,
  Progressing: WireHealth.PROGRESSING,
  Degraded: WireHealth.DEGRADED,
  Failed: WireHealth.FAILED,
  Unknown: WireHealth.UNKNOWN,
} as const satisfies Record<ObjectHealth, WireHealth>;

const HEALTH_OF = new Map<WireHealth, ObjectHealth>(
  (Object.entries(WIRE_HEALTH) as [ObjectHealth, WireHealth][]).map(([health, wire]) => [wire, health]),
);

/** A value unknown to this release is `Unknown`. */
export function healthOf(wire: WireHealth): ObjectHealth {
  return HEALTH_OF.get(wire) ?? 'Unknown';
}

const WIRE_FIELD_TYPES = {
  string: WireFieldType.STRING,
  number: WireFieldType.NUMBER,
  boolean: WireFieldType.BOOLEAN,
  time: WireFieldType.TIME,
  strings: WireFieldType.STRINGS,
  keys: WireFieldType.KEYS,
} as const satisfies Record<FieldType, WireFieldType>;

const FIELD_TYPE_OF = new Map<WireFieldType, FieldType>(
  (Object.entries(WIRE_FIELD_TYPES) as [FieldType, WireFieldType][]).map(([type, wire]) => [wire, type]),
);

function wireKind({ type, fields, health, only, expiry }: IndexedKind): MessageInitShape<typeof IndexedTypeSchema> {
  return {
    type,
    fields: fields.map((field) => ({ ...field, type: WIRE_FIELD_TYPES[field.type] })),
    health: health.map((rule) => ({ health: WIRE_HEALTH[rule.health], when: rule.when.map(wireCheck) })),
    only: only.map(wireCheck),
    expireAfterMs: BigInt(expiry?.afterMs ?? 0),
    expireFrom: [...(expiry?.from ?? [])],
  };
}

function kindOf({ type, fields, health, only, expireAfterMs, expireFrom }: WireType): IndexedKind {
  return {
    type,
    fields: fields.flatMap(({ name, path, type: wire }): IndexField[] => {
      const fieldType = FIELD_TYPE_OF.get(wire);
      return fieldType === undefined ? [] : [{ name, path, type: fieldType }];
    }),
    health: health.map(
      ({ health: wire, when }): IndexHealthRule => ({ health: healthOf(wire), when: when.map(checkOf) }),
    ),
    only: only.map(checkOf),
    expiry: expireAfterMs === 0n ? undefined : { afterMs: Number(expireAfterMs), from: expireFrom },
  };
}

function wireCheck({ path, in: values, exists, below }: Check): MessageInitShape<typeof IndexCheckSchema> {
  if (values !== undefined) return { path, check: { case: 'in', value: { values: [...values] } } };
  if (exists !== undefined) return { path, check: { case: 'exists', value: exists } };
  return { path, check: { case: 'below', value: below ?? '' } };
}

/** A check of a later release never holds, so the objects it was meant to exclude stay excluded. */
function checkOf({ path, check }: WireCheck): Check {
  switch (check.case) {
    case 'in':
      return { path, in: check.value.values };
    case 'exists':
      return { path, exists: check.value };
    case 'below':
      return { path, below: check.value };
    case undefined:
      return { path: '' };
  }
}
