import type { JsonObject } from '#kit/std';
import type { InventoryItem } from './inventory.ts';
import { isJsonObject } from './json-value.ts';

/** As Cluster API names an object in what goes wrong with it: `apps/v1, Kind=Deployment shop/web`. */
export function describeObject(object: JsonObject): string {
  const { apiVersion, kind, namespace, name } = identityOf(object);
  const groupVersion = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
  return `${groupVersion}, Kind=${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`;
}

/** What it is called; where it does not say, empty. */
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
