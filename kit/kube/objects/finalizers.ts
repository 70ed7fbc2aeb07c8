import type { Patch } from '../client/kube-client.ts';
import type { KubeObject } from '../client/kube-object.ts';
import { describeObject } from './describe-object.ts';
import { ObjectError } from './object-error.ts';

export function hasFinalizer(object: KubeObject, finalizer: string): boolean {
  return object.metadata.finalizers?.includes(finalizer) ?? false;
}

/**
 * The patch that adds it, or undefined when it is there already. Only a patch that went through means that the object
 * cannot disappear unnoticed, so it comes before whatever has to be cleaned up.
 *
 * DECISION: a merge patch that carries the version which was read, here and in `removeFinalizer`. A list can only be
 * patched whole, and without the version a finalizer that somebody else set in between would be lost; with it that is a
 * conflict. A JSON patch with a `test` is no smaller, and the server calls its failure an invalid request.
 */
export function addFinalizer(object: KubeObject, finalizer: string): Patch | undefined {
  if (hasFinalizer(object, finalizer)) return undefined;
  if (object.metadata.deletionTimestamp !== undefined) {
    throw new ObjectError(
      'BEING_DELETED',
      `add finalizer ${finalizer} to ${describeObject(object)}, which is being deleted`,
    );
  }
  return finalizersPatch(object, [...(object.metadata.finalizers ?? []), finalizer]);
}

/** The patch that removes it, or undefined when it is not there. */
export function removeFinalizer(object: KubeObject, finalizer: string): Patch | undefined {
  if (!hasFinalizer(object, finalizer)) return undefined;
  const left = object.metadata.finalizers?.filter((name) => name !== finalizer) ?? [];
  return finalizersPatch(object, left);
}

function finalizersPatch(object: KubeObject, finalizers: readonly string[]): Patch {
  const { resourceVersion } = object.metadata;
  if (resourceVersion === undefined) {
    throw new ObjectError('NOT_READ', `change the finalizers of ${describeObject(object)}: it has no resourceVersion`);
  }
  const list = finalizers.length === 0 ? null : finalizers;
  return { type: 'merge', patch: { metadata: { resourceVersion, finalizers: list } } };
}
