/** An object as a cluster has it. Kinds add fields as they please. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
}

export interface ObjectMeta {
  readonly name?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly managedFields?: readonly ManagedFields[];
}

/** Which fields somebody set, as the API server keeps it. */
export interface ManagedFields {
  readonly manager?: string;
  readonly operation?: 'Apply' | 'Update';
  readonly subresource?: string;
  readonly fieldsV1?: unknown;
}

/** What names an object. */
export interface ObjectKey {
  readonly apiVersion: string;
  readonly kind: string;
  /** `undefined` for what belongs to the whole cluster. */
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** The manager of all that this agent applies. */
export const FIELD_MANAGER = 'fleetshift';

/** On the object itself and never in a template of Pods, where it would start them anew. Its value is the uid. */
export const DEPLOYMENT_LABEL = 'fleetshift.io/deployment';

export function keyOf({ apiVersion, kind, metadata }: KubeObject): ObjectKey {
  return { apiVersion, kind, namespace: metadata.namespace, name: metadata.name ?? '' };
}

/** For people: `apps/v1/Deployment/shop/web`. */
export function keyText({ apiVersion, kind, namespace, name }: ObjectKey): string {
  return [apiVersion, kind, ...(namespace === undefined ? [] : [namespace]), name].join('/');
}

/** The same for all versions of a kind: an object that moves to a newer version is still that object. */
export function identityOf({ apiVersion, kind, namespace = '', name }: ObjectKey): string {
  return [groupOf(apiVersion), kind, namespace, name].join('/');
}

/** `''` for the core. */
export function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash === -1 ? '' : apiVersion.slice(0, slash);
}
