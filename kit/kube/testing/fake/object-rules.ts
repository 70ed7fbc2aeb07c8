import { isDeepStrictEqual } from 'node:util';
import type { DeleteOptions } from '../../client/kube-client.ts';
import type { KubeObject, ObjectMeta } from '../../client/kube-object.ts';
import { badRequest, conflict, invalid, Refused } from './refused.ts';
import type { FakeResource } from './resources.ts';

/** A stored object. Only `spec` and `status` are interpreted. */
export type Stored = KubeObject & { readonly spec?: unknown; readonly status?: unknown };

/** Fields that the server sets itself; values from the client are ignored. */
interface Minted {
  readonly uid: string;
  readonly now: string;
  readonly suffix: string;
}

export function created(given: Stored, resource: FakeResource, minted: Minted): Stored {
  const { metadata } = given;
  const name = metadata.name || (metadata.generateName && `${metadata.generateName}${minted.suffix}`);
  if (!name) throw invalid('metadata.name: name or generateName is required');
  const {
    resourceVersion,
    deletionTimestamp: _,
    deletionGracePeriodSeconds: __,
    managedFields: ___,
    ...rest
  } = metadata;
  if (resourceVersion) throw badRequest('resourceVersion should not be set on objects to be created');
  const made = resource.status ? without(given, 'status') : given;
  return {
    ...made,
    ...(resource.kind === 'Namespace' && { spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } }),
    metadata: {
      ...rest,
      name,
      uid: minted.uid,
      creationTimestamp: minted.now,
      ...(made.spec !== undefined && { generation: 1 }),
    },
  };
}

/** The object after a PUT or a patch of it, or of its status. */
export function changed(
  before: Stored,
  given: Stored,
  { resource, subresource }: { resource: FakeResource; subresource: string | undefined },
): Stored {
  const { name, uid, resourceVersion } = given.metadata;
  if (name !== before.metadata.name) throw badRequest('the name of the object does not match the name on the URL');
  if (uid !== undefined && uid !== before.metadata.uid) throw conflict('the UID in the precondition does not match');
  if (resourceVersion && resourceVersion !== before.metadata.resourceVersion) {
    throw conflict('the object has been modified; please apply your changes to the latest version and try again');
  }
  if (subresource === 'status') return { ...before, status: given.status };
  const body = resource.status ? { ...given, status: before.status } : given;
  const metadata = keptMetadata(before, body);
  if (body.status === undefined) return without({ ...body, metadata }, 'status');
  return { ...body, metadata };
}

function keptMetadata(before: Stored, after: Stored): ObjectMeta {
  const { uid, creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds, generation } = before.metadata;
  const added = (after.metadata.finalizers ?? []).filter(
    (finalizer) => !before.metadata.finalizers?.includes(finalizer),
  );
  if (deletionTimestamp !== undefined && added.length > 0) {
    throw invalid('metadata.finalizers: no new finalizers can be added if the object is being deleted');
  }
  const same = isDeepStrictEqual(specOf(before), specOf(after));
  return defined({
    ...after.metadata,
    uid,
    creationTimestamp,
    deletionTimestamp,
    deletionGracePeriodSeconds,
    generation: generation === undefined || same ? generation : generation + 1,
  });
}

/** The object after a delete, or undefined if it has no finalizers. */
export function deleted(before: Stored, options: DeleteOptions, now: string): Stored | undefined {
  const { metadata } = before;
  if (options.uid !== undefined && options.uid !== metadata.uid)
    throw conflict('the UID in the precondition does not match');
  if (options.resourceVersion !== undefined && options.resourceVersion !== metadata.resourceVersion) {
    throw conflict('the ResourceVersion in the precondition does not match');
  }
  const waits = { Foreground: 'foregroundDeletion', Orphan: 'orphan', Background: undefined }[
    options.propagation ?? 'Background'
  ];
  const finalizers = [...new Set([...(metadata.finalizers ?? []), ...(waits ? [waits] : [])])];
  const held = finalizers.length > 0 || before.kind === 'Namespace';
  if (!held) return undefined;
  if (metadata.deletionTimestamp !== undefined) return before;
  return {
    ...before,
    ...(before.kind === 'Namespace' && { status: { phase: 'Terminating' } }),
    metadata: {
      ...metadata,
      deletionTimestamp: now,
      deletionGracePeriodSeconds: 0,
      ...(finalizers.length > 0 && { finalizers }),
      ...(metadata.generation !== undefined && { generation: metadata.generation + 1 }),
    },
  };
}

/** Whether a deleted object can be removed. */
export function isReleased({ metadata, kind }: Stored): boolean {
  return metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).length === 0 && kind !== 'Namespace';
}

export function refuseOtherKind(given: Stored, resource: FakeResource): void {
  const apiVersion = resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
  if (given.kind !== resource.kind || given.apiVersion !== apiVersion) {
    throw new Refused(400, 'BadRequest', `${given.apiVersion} ${given.kind} does not belong to ${resource.plural}`);
  }
}

function specOf(object: Stored): object {
  const { metadata: _, status: __, ...rest } = object;
  return rest;
}

function without(object: Stored, key: 'status'): Stored {
  const { [key]: _, ...rest } = object;
  return rest;
}

function defined(metadata: Readonly<Record<string, unknown>>): ObjectMeta {
  return Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== undefined));
}
