import type { Json, JsonObject } from '#kit/std';
import { isJsonList, isJsonObject, sameJson } from './json-value.ts';

/** The server writes these, and a patch that removes them says nothing. */
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
 * The JSON merge patch that makes the manifest of what there is; `undefined` when there is nothing to say. What the manifest
 * does not mention is removed, whoever wrote it: so the strategy Reconcile is in Cluster API, and whoever does not want it
 * asks for server-side apply.
 */
export function mergePatch(live: JsonObject, manifest: JsonObject): JsonObject | undefined {
  const metadata = isJsonObject(live['metadata']) ? live['metadata'] : {};
  const own = Object.fromEntries(Object.entries(metadata).filter(([key]) => !OF_THE_SERVER.includes(key)));
  const wanted = isJsonObject(manifest['metadata']) ? manifest['metadata'] : {};
  // A manifest that was exported carries the version of then, which would be a lock on it.
  const { resourceVersion: _, ...wantedMetadata } = wanted;
  return difference({ ...live, metadata: own }, { ...manifest, metadata: wantedMetadata });
}

/**
 * What that patch comes to, whatever there is: the manifest, of which an object with this version is to be made. What is null in it
 * is not there.
 */
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
  // Entries and not an object that is filled: `__proto__` is a key like any other.
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
