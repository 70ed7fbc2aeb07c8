import type { TSchema } from 'typebox';
import { Value } from 'typebox/value';
import type { Json } from '#kit/std';
import { escapePointer, type FieldFault } from '#kit/std';
import { DeploymentDraftSchema } from '#protocol/api';
import { isList, isObject } from '../../domain/manifest/json.ts';

/**
 * Validates drafts that did not come through the API against its schema: the result of a patch, and the children of a
 * group, whose schema would be infinite. A choice by `type` is made first, so that faults only mention the fields of the
 * chosen type.
 */
export function draftShape(draft: Json, at: string): readonly FieldFault[] {
  return faultsOf(DeploymentDraftSchema as unknown as AnySchema, draft, at);
}

/** The parts of JSON schema that our schemas use: objects, records, lists, choices and scalars. */
type AnySchema = {
  readonly anyOf?: readonly AnySchema[];
  readonly const?: unknown;
  readonly type?: string;
  readonly properties?: Readonly<Record<string, AnySchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
  readonly patternProperties?: Readonly<Record<string, AnySchema>>;
  readonly items?: AnySchema;
};

function faultsOf(schema: AnySchema, value: Json, at: string): readonly FieldFault[] {
  if (schema.anyOf?.every((each) => each.properties?.['type'] !== undefined))
    return choiceFaults(schema.anyOf, value, at);
  if (schema.type === 'object') return objectFaults(schema, value, at);
  const own = plainFaults(schema, value, at);
  if (schema.items === undefined || !isList(value)) return own;
  const { items } = schema;
  // Faults within the list are reported by the items themselves.
  const bounds = own.filter(({ path }) => path === at);
  return [...bounds, ...value.flatMap((item, index) => faultsOf(items, item, `${at}/${index}`))];
}

function choiceFaults(choices: readonly AnySchema[], value: Json, at: string): readonly FieldFault[] {
  if (!isObject(value)) return [{ path: at, message: 'must be object' }];
  const chosen = choices.find((each) => each.properties?.['type']?.const === value['type']);
  if (chosen !== undefined) return objectFaults(chosen, value, at);
  const known = choices.map((each) => JSON.stringify(each.properties?.['type']?.const)).join(', ');
  return [{ path: `${at}/type`, message: `must be one of ${known}` }];
}

function objectFaults(schema: AnySchema, value: Json, at: string): readonly FieldFault[] {
  if (!isObject(value)) return [{ path: at, message: 'must be object' }];
  const { properties, required = [], additionalProperties, patternProperties = {} } = schema;
  const [record] = Object.values(patternProperties);
  const missing = required
    .filter((name) => !Object.hasOwn(value, name))
    .map((name) => ({ path: `${at}/${name}`, message: 'is required' }));
  const present = Object.entries(value).flatMap(([name, field]) => {
    const path = `${at}/${escapePointer(name)}`;
    const known = properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : record;
    if (known !== undefined) return faultsOf(known, field, path);
    return additionalProperties === true ? [] : [{ path, message: 'is not a field that this takes' }];
  });
  return [...missing, ...present];
}

function plainFaults(schema: AnySchema, value: Json, at: string): readonly FieldFault[] {
  const [first] = Value.Errors(schema as TSchema, value);
  if (first === undefined) return [];
  const { instancePath, message, params } = first;
  const allowed = 'allowedValues' in params ? `: ${params.allowedValues.join(', ')}` : '';
  return [{ path: `${at}${instancePath}`, message: `${message}${allowed}` }];
}
