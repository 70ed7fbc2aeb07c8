import type { TObject, TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { suggestion } from '#kit/config';
import { isObject } from './merge-patch.ts';

/** What is wrong with a value: fields that nobody knows first, since they are most often a slip in another one's name. */
export function schemaFaults(schema: TObject, value: unknown, at: string): string[] {
  const faults = Value.Errors(schema, value).map(({ instancePath, message, params }) => {
    const allowed = 'allowedValues' in params ? `: ${params.allowedValues.join(', ')}` : '';
    return `${at}${instancePath} ${message}${allowed}`;
  });
  return [...unknownFields(schema, value, at), ...faults];
}

/** An object takes the fields that it names and no others; one of any keys says so. */
function unknownFields(schema: TSchema, value: unknown, at: string): string[] {
  if (Array.isArray(value)) {
    const { items } = schema as { readonly items?: TSchema };
    return items === undefined ? [] : value.flatMap((item, index) => unknownFields(items, item, `${at}/${index}`));
  }
  const { properties } = schema as { readonly properties?: Readonly<Record<string, TSchema>> };
  if (properties === undefined || !isObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (known !== undefined) return unknownFields(known, member, `${at}/${name}`);
    return [`${at}/${name} is no such field${suggestion(name, Object.keys(properties))}`];
  });
}
