import { KubeError } from '../kube-error.ts';
import type {
  CollectionRef,
  DeleteOptions,
  ListOptions,
  ObjectRef,
  Subresource,
  WatchOptions,
  WriteOptions,
} from './kube-client.ts';
import type { Resource } from './kube-object.ts';

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export function apiVersionOf({ group, version }: Pick<Resource, 'group' | 'version'>): string {
  return group === '' ? version : `${group}/${version}`;
}

/** Splits `apps/v1`; the core group has no name. */
export function groupAndVersion(apiVersion: string): Pick<Resource, 'group' | 'version'> {
  const [first = '', second] = apiVersion.split('/');
  return second === undefined ? { group: '', version: first } : { group: first, version: second };
}

export function collectionPath({ resource, namespace }: CollectionRef): string {
  const root = `/${resource.group === '' ? 'api' : 'apis'}/${apiVersionOf(resource)}`;
  if (namespace === undefined) return `${root}/${resource.plural}`;
  if (!resource.namespaced)
    throw misnamed(`${resource.plural} are not namespaced, but the namespace ${namespace} was given`);
  return `${root}/namespaces/${segment(namespace)}/${resource.plural}`;
}

export function objectPath(ref: ObjectRef, subresource?: Subresource): string {
  if (ref.resource.namespaced && ref.namespace === undefined) {
    throw misnamed(`${describeObject(ref)} needs a namespace`);
  }
  const path = `${collectionPath(ref)}/${segment(ref.name)}`;
  return subresource === undefined ? path : `${path}/${segment(subresource)}`;
}

/** For messages: `configmaps/settings in team-a`. */
export function describeObject({ resource, name, namespace }: ObjectRef): string {
  return `${resource.plural}/${name}${namespace === undefined ? '' : ` in ${namespace}`}`;
}

export function describeCollection({ resource, namespace }: CollectionRef): string {
  return `${resource.plural}${namespace === undefined ? '' : ` in ${namespace}`}`;
}

export function listQuery(options: ListOptions): Query {
  const { labelSelector, fieldSelector, resourceVersion, resourceVersionMatch, limit } = options;
  return { labelSelector, fieldSelector, resourceVersion, resourceVersionMatch, limit, continue: options.continue };
}

export function watchQuery({ labelSelector, fieldSelector, resourceVersion, timeoutSeconds }: WatchOptions): Query {
  return { watch: true, allowWatchBookmarks: true, labelSelector, fieldSelector, resourceVersion, timeoutSeconds };
}

export function writeQuery({ dryRun, fieldManager, fieldValidation = 'Strict' }: WriteOptions): Query {
  return { dryRun: dryRun ? 'All' : undefined, fieldManager, fieldValidation };
}

export function deleteBody({ dryRun, propagation, uid, resourceVersion, gracePeriodSeconds }: DeleteOptions): object {
  return {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    ...(dryRun && { dryRun: ['All'] }),
    ...(propagation !== undefined && { propagationPolicy: propagation }),
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    ...((uid !== undefined || resourceVersion !== undefined) && { preconditions: { uid, resourceVersion } }),
  };
}

export function withQuery(path: string, query: Query): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, String(value));
  }
  const text = parameters.toString();
  return text === '' ? path : `${path}?${text}`;
}

/** One path segment. A name from outside must not be able to address another object. */
function segment(name: string): string {
  if (name === '' || name === '.' || name === '..') throw misnamed(`${JSON.stringify(name)} is not a valid name`);
  return encodeURIComponent(name);
}

function misnamed(why: string): KubeError {
  return new KubeError('BAD_REQUEST', why);
}
