import type { KubeObject, OwnerReference } from '../client/kube-object.ts';
import { describeObject } from './describe-object.ts';
import { ObjectError } from './object-error.ts';

export interface OwnerReferenceOptions {
  /** With foreground deletion the owner waits until the object is gone; true by default for controller references. */
  readonly blockOwnerDeletion?: boolean;
}

/**
 * Sets the owner as the controller of the object. There is at most one controller: another one is `ALREADY_CONTROLLED`.
 * A recreated owner of the same name replaces its predecessor.
 */
export function setControllerReference<T extends KubeObject>(
  object: T,
  owner: KubeObject,
  { blockOwnerDeletion = true }: OwnerReferenceOptions = {},
): T {
  const reference = { ...referenceTo(owner, object), controller: true, blockOwnerDeletion };
  const present = controllerOf(object);
  if (present !== undefined && !isSameOwner(present, reference)) {
    throw new ObjectError('ALREADY_CONTROLLED', `let ${describeObject(owner)} control ${describeObject(object)}`, {
      details: { controller: present },
    });
  }
  return withReference(object, reference);
}

/** Adds an owner that does not control the object: the object is collected when its last owner is gone. */
export function setOwnerReference<T extends KubeObject>(
  object: T,
  owner: KubeObject,
  { blockOwnerDeletion }: OwnerReferenceOptions = {},
): T {
  const reference = referenceTo(owner, object);
  return withReference(object, blockOwnerDeletion === undefined ? reference : { ...reference, blockOwnerDeletion });
}

/** Returns the same object if this was not an owner. */
export function removeOwnerReference<T extends KubeObject>(object: T, owner: KubeObject): T {
  const references = object.metadata.ownerReferences ?? [];
  const left = references.filter((reference) => reference.uid !== owner.metadata.uid);
  return left.length === references.length ? object : withReferences(object, left);
}

export function controllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((reference) => reference.controller === true);
}

/** Compared by uid: a recreated owner of the same name controls nothing yet. */
export function isControlledBy(object: KubeObject, owner: KubeObject): boolean {
  const uid = owner.metadata.uid;
  return uid !== undefined && controllerOf(object)?.uid === uid;
}

/** The owner of this kind, whatever version of the group the reference names; preferably the controller. */
export function findOwner(object: KubeObject, { apiVersion, kind }: OwnerKind): OwnerReference | undefined {
  const ofKind = (object.metadata.ownerReferences ?? []).filter(
    (reference) => reference.kind === kind && groupOf(reference.apiVersion) === groupOf(apiVersion),
  );
  return ofKind.find((reference) => reference.controller === true) ?? ofKind[0];
}

export interface OwnerKind {
  readonly apiVersion: string;
  readonly kind: string;
}

/** The garbage collector looks for an owner only in the object's namespace and among cluster-wide objects. */
function referenceTo(owner: KubeObject, object: KubeObject): OwnerReference {
  const { name, uid, namespace } = owner.metadata;
  if (name === undefined || uid === undefined) {
    throw new ObjectError(
      'NOT_READ',
      `let ${describeObject(owner)} own ${describeObject(object)}: the owner has no uid`,
    );
  }
  if (namespace !== undefined && namespace !== object.metadata.namespace) {
    throw new ObjectError(
      'OWNER_OUT_OF_REACH',
      `let ${describeObject(owner)} own ${describeObject(object)}, outside of its namespace`,
    );
  }
  return { apiVersion: owner.apiVersion, kind: owner.kind, name, uid };
}

function withReference<T extends KubeObject>(object: T, reference: OwnerReference): T {
  const references = object.metadata.ownerReferences ?? [];
  const index = references.findIndex((present) => isSameOwner(present, reference));
  const present = references[index];
  if (present === undefined) return withReferences(object, [...references, reference]);
  return isSame(present, reference) ? object : withReferences(object, references.with(index, reference));
}

function withReferences<T extends KubeObject>(object: T, ownerReferences: readonly OwnerReference[]): T {
  return { ...object, metadata: { ...object.metadata, ownerReferences } };
}

function isSame(a: OwnerReference, b: OwnerReference): boolean {
  return (
    a.uid === b.uid &&
    a.apiVersion === b.apiVersion &&
    a.controller === b.controller &&
    a.blockOwnerDeletion === b.blockOwnerDeletion
  );
}

function isSameOwner(a: OwnerReference, b: OwnerReference): boolean {
  return a.name === b.name && a.kind === b.kind && groupOf(a.apiVersion) === groupOf(b.apiVersion);
}

function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash === -1 ? '' : apiVersion.slice(0, slash);
}
