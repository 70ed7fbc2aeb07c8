/** An object as it is in a cluster. Each kind adds its own fields. */
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

/** Fields set by one manager, as the API server records them. */
export interface ManagedFields {
  readonly manager?: string;
  readonly operation?: 'Apply' | 'Update';
  readonly subresource?: string;
  readonly fieldsV1?: unknown;
}

/** Identifies an object. */
export interface ObjectKey {
  readonly apiVersion: string;
  readonly kind: string;
  /** `undefined` for cluster-scoped objects. */
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** The field manager of everything this agent applies. */
export const FIELD_MANAGER = 'fleetshift';

/**
 * Set on the object itself and never in a Pod template, where it would restart the Pods. Its value is the deployment's
 * uid.
 */
export const DEPLOYMENT_LABEL = 'fleetshift.io/deployment';

export function keyOf({ apiVersion, kind, metadata }: KubeObject): ObjectKey {
  return { apiVersion, kind, namespace: metadata.namespace, name: metadata.name ?? '' };
}

/** For people: `apps/v1/Deployment/shop/web`. */
export function keyText({ apiVersion, kind, namespace, name }: ObjectKey): string {
  return [apiVersion, kind, ...(namespace === undefined ? [] : [namespace]), name].join('/');
}

/** The same for all versions of a kind: an object that moves to a newer version keeps its identity. */
export function identityOf({ apiVersion, kind, namespace = '', name }: ObjectKey): string {
  return [groupOf(apiVersion), kind, namespace, name].join('/');
}

/** `''` for the core group. */
export function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash === -1 ? '' : apiVersion.slice(0, slash);
}
