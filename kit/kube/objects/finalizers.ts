import type { Patch } from '../client/kube-client.ts';
import type { KubeObject } from '../client/kube-object.ts';
import { describeObject } from './describe-object.ts';
import { ObjectError } from './object-error.ts';

export function hasFinalizer(object: KubeObject, finalizer: string): boolean {
  return object.metadata.finalizers?.includes(finalizer) ?? false;
}

/**
 * The patch that adds the finalizer, or undefined if it is there. Only after the patch succeeded is it certain that the
 * object cannot disappear unnoticed, so apply it before creating anything that must be cleaned up.
 *
 * DECISION: a merge patch with the version that was read, here and in `removeFinalizer`. A list can only be patched as
 * a whole, and without the version a finalizer added by another controller in between would be lost; with it that is a
 * conflict. A JSON patch with a `test` is no smaller, and the server reports its failure as an invalid request.
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

/** The patch that removes the finalizer, or undefined if it is not there. */
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
