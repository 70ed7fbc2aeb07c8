import { isJsonObject, type JsonObject } from '#kit/std';
import type { InventoryItem } from './inventory.ts';

/** In the format of Cluster API's error messages: `apps/v1, Kind=Deployment shop/web`. */
export function describeObject(object: JsonObject): string {
  const { apiVersion, kind, namespace, name } = identityOf(object);
  const groupVersion = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
  return `${groupVersion}, Kind=${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`;
}

/** The identity of an object; missing parts are empty. */
export function identityOf({ apiVersion, kind, metadata }: JsonObject): InventoryItem {
  const { name, namespace } = isJsonObject(metadata) ? metadata : {};
  return {
    apiVersion: textOf(apiVersion),
    kind: textOf(kind),
    name: textOf(name),
    ...(typeof namespace === 'string' && namespace !== '' && { namespace }),
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
