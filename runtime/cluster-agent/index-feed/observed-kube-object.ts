import type { Condition, ObservedObject, Owner } from '#contexts/resource-index';
import type { KubeObject } from '#kit/kube';

/** The label that delivery puts on its objects. */
const DEPLOYMENT_LABEL = 'fleetshift.io/deployment';
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
/** Kinds whose values must not leave the cluster, whatever a schema asks for. */
const GUARDED: ReadonlySet<string> = new Set(['v1/Secret', 'v1/ConfigMap']);
const VALUES = ['data', 'stringData', 'binaryData'] as const;

/** An object as the index sees it. Sensitive parts are removed before anything else reads it. */
export function observedKubeObject(type: string, object: KubeObject): ObservedObject {
  const { metadata } = object;
  const { labels = {}, ownerReferences = [], creationTimestamp } = metadata;
  const created = creationTimestamp === undefined ? Number.NaN : Date.parse(creationTimestamp);
  return {
    key: keyOf(type, object),
    uid: metadata.uid ?? '',
    deployment: labels[DEPLOYMENT_LABEL] ?? '',
    labels,
    owners: ownerReferences.map(
      ({ apiVersion, kind, name, uid }): Owner => ({ type: `${apiVersion}/${kind}`, name, uid }),
    ),
    conditions: conditionsOf(object),
    createTime: Number.isNaN(created) ? undefined : created,
    body: withoutValues(type, object),
  };
}

export function keyOf(type: string, { metadata }: KubeObject) {
  return { type, namespace: metadata.namespace ?? '', name: metadata.name ?? '' };
}

/**
 * Key names stay, their values do not. `kubectl apply` keeps a copy of everything in an annotation, so that is removed
 * too.
 */
function withoutValues(type: string, object: KubeObject): object {
  const { managedFields: _, annotations = {}, ...metadata } = object.metadata;
  const { [LAST_APPLIED]: __, ...rest } = annotations;
  const body: Record<string, unknown> = { ...object, metadata: { ...metadata, annotations: rest } };
  if (!GUARDED.has(type)) return body;
  for (const field of VALUES) if (field in body) body[field] = namesOf(body[field]);
  return body;
}

function namesOf(values: unknown): Readonly<Record<string, object>> {
  if (typeof values !== 'object' || values === null) return {};
  return Object.fromEntries(Object.keys(values).map((name) => [name, {}]));
}

function conditionsOf(object: KubeObject): Condition[] {
  const { status } = object as { readonly status?: { readonly conditions?: unknown } };
  const conditions = status?.conditions;
  if (!Array.isArray(conditions)) return [];
  return conditions.flatMap((condition: unknown) => {
    if (typeof condition !== 'object' || condition === null) return [];
    const { type, status: its, reason } = condition as Readonly<Record<string, unknown>>;
    return typeof type === 'string' ? [{ type, status: textOf(its), reason: textOf(reason) }] : [];
  });
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
