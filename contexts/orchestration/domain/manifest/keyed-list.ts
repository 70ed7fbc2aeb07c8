import type { Json } from '#kit/std';
import { fieldOf } from './json.ts';

/**
 * The fields that identify an item, by the name of the list, as Kubernetes merges it. Where a name has several meanings,
 * the first whose fields all items have.
 */
const MERGE_KEYS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  claims: [['name']],
  conditions: [['type']],
  containers: [['name']],
  env: [['name']],
  ephemeralContainers: [['name']],
  hostAliases: [['ip']],
  imagePullSecrets: [['name']],
  initContainers: [['name']],
  ownerReferences: [['uid']],
  ports: [
    ['containerPort', 'protocol'],
    ['port', 'protocol'],
  ],
  resizePolicy: [['resourceName']],
  resourceClaims: [['name']],
  schedulingGates: [['name']],
  secrets: [['name']],
  topologySpreadConstraints: [['topologyKey', 'whenUnsatisfiable']],
  // Of a CustomResourceDefinition. The order of versions has no meaning.
  versions: [['name']],
  volumeDevices: [['devicePath']],
  volumeMounts: [['mountPath']],
  volumes: [['name']],
  webhooks: [['name']],
};

/** The value that a server fills in where a key is absent. */
const DEFAULTS: Readonly<Record<string, string>> = { protocol: 'TCP' };

export interface KeyedItem {
  readonly item: Json;
  /** Its position in the list. */
  readonly place: number;
  /** The values of its keys, for people: `web`, `80/TCP`. */
  readonly label: string;
}

export type KeyedItems = ReadonlyMap<string, KeyedItem>;

/** The items of both lists by their merge key; `undefined` if the list has none, or its items do not have it uniquely. */
export function keyedBy(
  list: string,
  before: readonly Json[],
  after: readonly Json[],
): { readonly old: KeyedItems; readonly fresh: KeyedItems } | undefined {
  const candidates = Object.hasOwn(MERGE_KEYS, list) ? MERGE_KEYS[list] : undefined;
  for (const keys of candidates ?? []) {
    const [old, fresh] = [itemsBy(keys, before), itemsBy(keys, after)];
    if (old !== undefined && fresh !== undefined) return { old, fresh };
  }
  return undefined;
}

function itemsBy(keys: readonly string[], items: readonly Json[]): KeyedItems | undefined {
  const keyed = new Map<string, KeyedItem>();
  for (const [place, item] of items.entries()) {
    const values = keys.map((key) => fieldOf(item, key) ?? DEFAULTS[key]);
    if (!values.every((value) => typeof value === 'string' || typeof value === 'number')) return undefined;
    const key = JSON.stringify(values);
    if (keyed.has(key)) return undefined;
    keyed.set(key, { item, place, label: values.join('/') });
  }
  return keyed;
}
