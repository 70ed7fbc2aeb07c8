import type { Json, JsonObject } from '#kit/std';
import { isJsonList, isJsonObject, sameJson } from './json-value.ts';

/** Written by the server; a patch that removes them has no effect. */
const OF_THE_SERVER = [
  'creationTimestamp',
  'deletionGracePeriodSeconds',
  'deletionTimestamp',
  'generation',
  'managedFields',
  'resourceVersion',
  'selfLink',
  'uid',
];

/**
 * The JSON merge patch from the live object to the manifest; `undefined` if they are equal. Fields that the manifest
 * does not have are removed, no matter who wrote them. This is Cluster API's Reconcile strategy; server-side apply is
 * the alternative.
 */
export function mergePatch(live: JsonObject, manifest: JsonObject): JsonObject | undefined {
  const metadata = isJsonObject(live['metadata']) ? live['metadata'] : {};
  const own = Object.fromEntries(Object.entries(metadata).filter(([key]) => !OF_THE_SERVER.includes(key)));
  const wanted = isJsonObject(manifest['metadata']) ? manifest['metadata'] : {};
  // An exported manifest carries its old resource version, which would act as a precondition.
  const { resourceVersion: _, ...wantedMetadata } = wanted;
  return difference({ ...live, metadata: own }, { ...manifest, metadata: wantedMetadata });
}

/** The result of that patch: the manifest with this version and without null fields. */
export function replacement(manifest: JsonObject, resourceVersion: string): JsonObject {
  const metadata = isJsonObject(manifest['metadata']) ? manifest['metadata'] : {};
  return withoutNulls({ ...manifest, metadata: { ...metadata, resourceVersion } });
}

function withoutNulls(object: JsonObject): JsonObject {
  const entries = Object.entries(object).filter(([, value]) => value !== null);
  return Object.fromEntries(entries.map(([key, value]) => [key, nullsRemoved(value)]));
}

function nullsRemoved(value: Json): Json {
  if (isJsonObject(value)) return withoutNulls(value);
  return isJsonList(value) ? value.map(nullsRemoved) : value;
}

function difference(from: JsonObject, to: JsonObject): JsonObject | undefined {
  // Uses entries instead of assigning to an object, because `__proto__` must be a normal key.
  const patch: [string, Json][] = [];
  for (const key of Object.keys(from)) if (own(to, key) === undefined || to[key] === null) patch.push([key, null]);
  for (const [key, value] of Object.entries(to)) {
    const before = own(from, key);
    if (value === null || sameJson(before, value)) continue;
    const change = isJsonObject(before) && isJsonObject(value) ? difference(before, value) : value;
    if (change !== undefined) patch.push([key, change]);
  }
  return patch.length === 0 ? undefined : Object.fromEntries(patch);
}

function own(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
