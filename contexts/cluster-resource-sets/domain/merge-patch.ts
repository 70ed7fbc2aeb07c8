import { isJsonList, isJsonObject, type Json, type JsonObject, mergePatch } from '#kit/std';

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
export function patchOf(live: JsonObject, manifest: JsonObject): JsonObject | undefined {
  const metadata = isJsonObject(live['metadata']) ? live['metadata'] : {};
  const own = Object.fromEntries(Object.entries(metadata).filter(([key]) => !OF_THE_SERVER.includes(key)));
  const wanted = isJsonObject(manifest['metadata']) ? manifest['metadata'] : {};
  // An exported manifest carries its old resource version, which would act as a precondition.
  const { resourceVersion: _, ...wantedMetadata } = wanted;
  return mergePatch({ ...live, metadata: own }, { ...manifest, metadata: wantedMetadata });
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
