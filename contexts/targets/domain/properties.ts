import {
  applyMergePatch,
  canonicalJson,
  escapePointer,
  type FieldFault,
  isJsonObject,
  type Json,
  type JsonObject,
  sameJson,
} from '#kit/std';

/** Facts about a target beyond its labels. Too rich to select by: placement never sees them. */
export type Properties = JsonObject;

/** A JSON merge patch (RFC 7396). */
export type PropertiesPatch = Properties | null;

/** Enough for facts and settings, too little for a data store. */
const MAX_PROPERTIES_BYTES = 16_384;
const MAX_PROPERTIES_DEPTH = 16;
/** The most UTF-8 bytes of one UTF-16 code unit. */
const MOST_BYTES_OF_A_UNIT = 3;

/** Properties that were read once and are set elsewhere now. They are refused, so that users do not rely on them. */
export const MOVED_PROPERTIES: Readonly<Record<string, string>> = {
  apiAuthentication: 'is not read any more; an administrator of the root sets PUT /v1/targets/{target}/passthrough',
};

/** Checks properties in a request. Stored ones stay, without effect. */
export function movedFaults(sent: PropertiesPatch | undefined, path: string): FieldFault[] {
  return Object.entries(MOVED_PROPERTIES).flatMap(([key, message]) =>
    sent?.[key] === undefined || sent[key] === null ? [] : [{ path: `${path}/${key}`, message }],
  );
}

export function propertiesFaults(properties: Properties, path: string): FieldFault[] {
  if (depthOf(properties) > MAX_PROPERTIES_DEPTH) {
    return [{ path, message: `must not be nested deeper than ${MAX_PROPERTIES_DEPTH} levels` }];
  }
  return bytesOf(properties) > MAX_PROPERTIES_BYTES
    ? [{ path, message: `must not be larger than ${MAX_PROPERTIES_BYTES} bytes` }]
    : [];
}

/**
 * Every target that is read is checked, and nearly all have few properties. If the length alone shows that the limit is kept,
 * the bytes are not counted. `\\ud` marks an escaped half of a surrogate pair, which is refused.
 */
function bytesOf(properties: Properties): number {
  const text = JSON.stringify(properties);
  if (text.length * MOST_BYTES_OF_A_UNIT <= MAX_PROPERTIES_BYTES && !text.includes('\\ud')) return text.length;
  return new TextEncoder().encode(canonicalJson(properties)).length;
}

export function mergeProperties(properties: Properties, patch: PropertiesPatch | undefined): Properties {
  if (patch === undefined) return properties;
  return patch === null ? {} : applyMergePatch(properties, patch);
}

/** Merges both sets of properties: the user's value takes precedence over the agent's. */
export function allProperties(own: Properties, reported: Properties): Properties {
  return { ...reported, ...own };
}

/** JSON pointers (RFC 6901) to the differences, each as deep as possible, below `at`. */
export function changedPaths(before: Json | undefined, after: Json | undefined, at: string): string[] {
  if (sameJson(before, after)) return [];
  if (!isJsonObject(before) || !isJsonObject(after)) return [at];
  const [old, fresh] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  const keys = [...new Set([...old.keys(), ...fresh.keys()])].sort();
  return keys.flatMap((key) => changedPaths(old.get(key), fresh.get(key), `${at}/${escapePointer(key)}`));
}

function depthOf(value: Json): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}
