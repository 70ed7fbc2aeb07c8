import { type TObject, type TSchema, Type } from 'typebox';
import { Value } from 'typebox/value';
import { suggestion } from '#kit/config';
import { isJsonObject } from '#kit/std';

/**
 * Lists what is wrong with a value. Unknown fields come first, since they are most often a typo in the name of a
 * required one.
 */
export function schemaFaults(schema: TObject, value: unknown, at: string): string[] {
  return [...unknownFields(schema, value, at), ...valueFaults(schema, value, at)];
}

/** The schema keywords that determine the shape of a value. */
interface Shape {
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly items?: TSchema;
  readonly anyOf?: readonly TSchema[];
}

/** An object accepts only its declared fields, unless the schema allows arbitrary keys. */
function unknownFields(schema: TSchema, value: unknown, at: string): string[] {
  const chosen = memberFor(schema, value);
  if (typeof chosen === 'string') return [];
  const { properties, items } = chosen as Shape;
  if (Array.isArray(value)) {
    return items === undefined ? [] : value.flatMap((item, index) => unknownFields(items, item, `${at}/${index}`));
  }
  if (properties === undefined || !isJsonObject(value) || 'additionalProperties' in chosen) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (known !== undefined) return unknownFields(known, member, `${at}/${name}`);
    return [`${at}/${name}: unknown field${suggestion(name, Object.keys(properties))}`];
  });
}

/** Checks part by part, so that errors of a union concern only the intended variant. */
function valueFaults(schema: TSchema, value: unknown, at: string): string[] {
  const chosen = memberFor(schema, value);
  if (typeof chosen === 'string') return [`${at}${chosen}`];
  const { properties, items } = chosen as Shape;
  if (properties !== undefined && isJsonObject(value)) {
    const open = Object.fromEntries(Object.keys(properties).map((name) => [name, Type.Unknown()]));
    const own = errorsOf({ ...chosen, properties: open }, value, at);
    const given = Object.entries(properties).filter(([name]) => Object.hasOwn(value, name));
    return [...own, ...given.flatMap(([name, member]) => valueFaults(member, value[name], `${at}/${name}`))];
  }
  if (items !== undefined && Array.isArray(value)) {
    const own = errorsOf({ ...chosen, items: Type.Unknown() }, value, at);
    return [...own, ...value.flatMap((item, index) => valueFaults(items, item, `${at}/${index}`))];
  }
  return errorsOf(chosen, value, at);
}

function errorsOf(schema: TSchema, value: unknown, at: string): string[] {
  return Value.Errors(schema, value).map(({ instancePath, message, params }) => {
    const allowed = 'allowedValues' in params ? `: ${params.allowedValues.join(', ')}` : '';
    return `${at}${instancePath} ${message}${allowed}`;
  });
}

/**
 * Picks the variant of a union that the `type` of the value selects, or reports a wrong type. Other schemas are
 * returned as they are.
 */
function memberFor(schema: TSchema, value: unknown): TSchema | string {
  const members = new Map((schema as Shape).anyOf?.map((member) => [typeOf(member), member]));
  if (members.size === 0 || members.has(undefined) || !isJsonObject(value)) return schema;
  const { type } = value;
  const names = [...members.keys()].filter((name) => name !== undefined);
  if (typeof type !== 'string') return `/type is missing; it is one of ${names.join(', ')}`;
  return members.get(type) ?? `/type "${type}" is not one of ${names.join(', ')}${suggestion(type, names)}`;
}

function typeOf(member: TSchema): string | undefined {
  const { type } = (member as Shape).properties ?? {};
  const literal = type !== undefined && 'const' in type ? type.const : undefined;
  return typeof literal === 'string' ? literal : undefined;
}
