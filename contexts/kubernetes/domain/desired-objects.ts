import type { Document } from '#protocol/delivery';
import { isJsonObject, listAt, textAt } from './json-value.ts';
import { DEPLOYMENT_LABEL, groupOf, identityOf, type KubeObject, keyText, type ObjectKey } from './kube-object.ts';
import type { SecretField, SecretFields } from './secret-fields.ts';

export type Scope = 'namespaced' | 'cluster';

export interface DesiredObject {
  readonly key: ObjectKey;
  /** As it is applied: with its namespace and the tracking label, without fields that only a server writes. */
  readonly object: KubeObject;
  /** Fields that the order marks as secret. */
  readonly secrets: readonly SecretField[];
}

/** A kind that the cluster does not serve yet. Its scope is unknown, so it cannot be applied. */
export type UnservedKind = Pick<ObjectKey, 'apiVersion' | 'kind'>;

export type Desired =
  | {
      readonly kind: 'desired';
      readonly objects: readonly DesiredObject[];
      /** Discovery is asked again for these. No object of these kinds is pruned meanwhile. */
      readonly unserved: readonly UnservedKind[];
    }
  | { readonly kind: 'fault'; readonly message: string };

export interface DesiredOptions {
  readonly deployment: string;
  /** Namespace of the order, for documents that name none. */
  readonly namespace: string | undefined;
  /** From discovery; `undefined` if the kind is not served. */
  readonly scopeOf: (apiVersion: string, kind: string) => Scope | undefined;
  readonly secretsIn?: SecretFields | undefined;
}

interface Numbered {
  readonly document: Document;
  /** `Document 2, item 1`. */
  readonly where: string;
}

const WRITTEN_BY_SERVERS = [
  'managedFields',
  'resourceVersion',
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'generation',
  'selfLink',
];

/** Resolves documents to objects. Reports the first fault, with the document it is in. */
export function desiredObjects(documents: readonly Document[], options: DesiredOptions): Desired {
  const objects: DesiredObject[] = [];
  const unserved = new Map<string, UnservedKind>();
  const seen = new Map<string, string>();
  const all = documents.flatMap((document, index) => unpacked({ document, where: `Document ${index + 1}` }));
  const scopeOf = withDefinitions(all, options.scopeOf);
  for (const { document, where } of all) {
    const key = namedBy(document);
    if (typeof key === 'string') return { kind: 'fault', message: `${where}: ${key}.` };
    const scope = scopeOf(key.apiVersion, key.kind);
    if (scope === undefined) unserved.set(`${key.apiVersion}/${key.kind}`, pick(key));
    const placed = scope === undefined ? key : inPlace(key, scope, options.namespace);
    const other = seen.get(identityOf(placed));
    if (other !== undefined) {
      return { kind: 'fault', message: `${other} and ${lowerFirst(where)} are both ${keyText(placed)}.` };
    }
    seen.set(identityOf(placed), where);
    if (scope === undefined) continue;
    const secrets = options.secretsIn?.get(document) ?? [];
    objects.push({ key: placed, object: asApplied(document, placed, options.deployment), secrets });
  }
  return { kind: 'desired', objects, unserved: [...unserved.values()] };
}

/** Replaces a `List` by its items. */
function unpacked({ document, where }: Numbered): Numbered[] {
  if (document['apiVersion'] !== 'v1' || document['kind'] !== 'List') return [{ document, where }];
  return listAt(document, 'items').flatMap((item, index) =>
    unpacked({ document: isJsonObject(item) ? item : {}, where: `${where}, item ${index + 1}` }),
  );
}

/** The key as written in the document, or what is wrong. */
function namedBy(document: Document): ObjectKey | string {
  const { apiVersion, kind } = document;
  if (typeof apiVersion !== 'string' || apiVersion === '') return 'apiVersion is missing';
  if (typeof kind !== 'string' || kind === '') return 'kind is missing';
  const name = textAt(document, 'metadata', 'name');
  if (name === undefined || name === '') return `metadata.name of ${apiVersion}/${kind} is missing`;
  if (name.includes('/')) return `metadata.name of ${apiVersion}/${kind} has a slash`;
  return { apiVersion, kind, namespace: textAt(document, 'metadata', 'namespace') || undefined, name };
}

/** A kind may be defined by the same documents that use it. */
function withDefinitions(all: readonly Numbered[], scopeOf: DesiredOptions['scopeOf']): DesiredOptions['scopeOf'] {
  const defined = new Map<string, Scope>();
  for (const { document } of all) {
    const group = groupOf(textAt(document, 'apiVersion') ?? '');
    if (group !== 'apiextensions.k8s.io' || document['kind'] !== 'CustomResourceDefinition') continue;
    const scope = textAt(document, 'spec', 'scope') === 'Cluster' ? 'cluster' : 'namespaced';
    defined.set(`${textAt(document, 'spec', 'group')}/${textAt(document, 'spec', 'names', 'kind')}`, scope);
  }
  return (apiVersion, kind) => scopeOf(apiVersion, kind) ?? defined.get(`${groupOf(apiVersion)}/${kind}`);
}

/** API servers ignore a namespace on cluster-scoped kinds, and charts write one everywhere. */
function inPlace(key: ObjectKey, scope: Scope, namespace = 'default'): ObjectKey {
  return { ...key, namespace: scope === 'cluster' ? undefined : (key.namespace ?? namespace) };
}

/** Documents that were exported from a cluster can be delivered as they are. */
function asApplied(document: Document, { namespace, name }: ObjectKey, deployment: string): KubeObject {
  const { status: _status, metadata, ...rest } = document;
  const its = isJsonObject(metadata) ? metadata : {};
  const kept = Object.entries(its).filter(([field]) => !WRITTEN_BY_SERVERS.includes(field) && field !== 'namespace');
  const labels = { ...(isJsonObject(its['labels']) ? its['labels'] : {}), [DEPLOYMENT_LABEL]: deployment };
  const place = namespace === undefined ? {} : { namespace };
  // The key was read from this document, so apiVersion and kind are strings.
  return { ...rest, metadata: { ...Object.fromEntries(kept), name, ...place, labels } } as unknown as KubeObject;
}

function pick({ apiVersion, kind }: ObjectKey): UnservedKind {
  return { apiVersion, kind };
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
