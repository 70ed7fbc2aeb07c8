import { canonicalJson, type FieldFault } from '#kit/std';

/** What JSON can hold. */
export type Json = string | number | boolean | null | readonly Json[] | Properties;

/** What is known of a target beyond its labels. Too rich to select by: placement never sees it. */
export type Properties = { readonly [key: string]: Json };

/** A JSON merge patch (RFC 7396). */
export type PropertiesPatch = Properties | null;

/** Enough for facts and settings, too little for a data store. */
const MAX_PROPERTIES_BYTES = 16_384;
const MAX_PROPERTIES_DEPTH = 16;

export function propertiesFaults(properties: Properties, path: string): FieldFault[] {
  if (depthOf(properties) > MAX_PROPERTIES_DEPTH) {
    return [{ path, message: `must not be nested deeper than ${MAX_PROPERTIES_DEPTH} levels` }];
  }
  const bytes = new TextEncoder().encode(canonicalJson(properties)).length;
  return bytes > MAX_PROPERTIES_BYTES
    ? [{ path, message: `must not be larger than ${MAX_PROPERTIES_BYTES} bytes` }]
    : [];
}

export function mergeProperties(properties: Properties, patch: PropertiesPatch | undefined): Properties {
  if (patch === undefined) return properties;
  return patch === null ? {} : mergeObject(properties, patch);
}

export function sameJson(a: Json | undefined, b: Json | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return canonicalJson(a) === canonicalJson(b);
}

/** What a JSON pointer (RFC 6901) leads to; `undefined` when it leads nowhere. */
export function valueAt(document: Properties, pointer: string): Json | undefined {
  let value: Json | undefined = document;
  for (const step of pointer.split('/').slice(1)) {
    value = childOf(value, step.replaceAll('~1', '/').replaceAll('~0', '~'));
  }
  return value;
}

function childOf(value: Json | undefined, key: string): Json | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.entries(value).find(([name]) => name === key)?.[1];
}

function mergeObject(before: Json | undefined, patch: Properties): Properties {
  const merged = new Map(Object.entries(isObject(before) ? before : {}));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else merged.set(key, isObject(value) ? mergeObject(merged.get(key), value) : value);
  }
  return Object.fromEntries(merged);
}

function isObject(value: Json | undefined): value is Properties {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function depthOf(value: Json): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}
