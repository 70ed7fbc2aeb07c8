import { assertNever, isJsonObject, type JsonObject } from '#kit/std';
import { isCrsError } from '../domain/crs-error.ts';
import { identityOf } from '../domain/describe-object.ts';
import { idOf } from '../domain/inventory.ts';
import type { ManifestObject } from '../domain/manifest.ts';
import { patchOf } from '../domain/merge-patch.ts';
import type { VersionsOfCluster } from './known-versions.ts';
import type { WorkloadApi, Written } from './ports.ts';

/**
 * `create` leaves existing objects alone, `merge` makes them equal to the manifest, `server-side` owns the fields of
 * the manifest.
 */
export type Manner = 'create' | 'merge' | 'server-side';

export interface ApplyRequest {
  readonly objects: readonly ManifestObject[];
  readonly manner: Manner;
  /** The objects were applied before, so reading them first is worthwhile. */
  readonly areKnown: boolean;
  /** Whether to report which objects were created now: objects created by others must not be deleted. */
  readonly notesMade: boolean;
  /** A drift repair, so most likely nothing has to be written. */
  readonly isRepair: boolean;
  /** Known versions of objects of this cluster. */
  readonly versions: VersionsOfCluster;
}

export interface ApplyResult {
  /** In the words of the server; empty on success. */
  readonly refusals: readonly string[];
  /** Whether anything in the cluster changed. */
  readonly changed: boolean;
  /** The uid of newly created objects, by id. */
  readonly made: ReadonlyMap<string, string>;
}

/**
 * Applies objects one after another, in the order of the manifest. A refused object does not stop the others. Throws
 * `CLUSTER_UNREACHABLE` at once if the cluster does not answer, because each of the others would wait for it too.
 */
export async function applyObjects(api: WorkloadApi, request: ApplyRequest, signal: AbortSignal): Promise<ApplyResult> {
  const refusals: string[] = [];
  const made = new Map<string, string>();
  let changed = false;
  for (const object of request.objects) {
    try {
      const effect = await applyObject(api, { ...request, object }, signal);
      if (effect.kind === 'made') made.set(idOf(identityOf(object)), effect.uid);
      changed ||= effect.kind !== 'none';
    } catch (error) {
      if (!isCrsError(error, 'OBJECT_NOT_APPLIED')) throw error;
      refusals.push(error.message);
    }
  }
  return { refusals, changed, made };
}

type Effect =
  | { readonly kind: 'made'; readonly uid: string }
  | { readonly kind: 'changed' }
  | { readonly kind: 'none' };

interface OneRequest extends Omit<ApplyRequest, 'objects'> {
  readonly object: ManifestObject;
}

async function applyObject(api: WorkloadApi, request: OneRequest, signal: AbortSignal): Promise<Effect> {
  const { object, manner, areKnown } = request;
  switch (manner) {
    case 'create':
      return effectOf(await api.create(object, signal));
    case 'server-side':
      return await applyServerSide(api, request, signal);
    case 'merge': {
      // An object that was never applied most likely does not exist: one request instead of two.
      const made = areKnown ? undefined : await api.create(object, signal);
      return made === undefined ? await merge(api, request, signal) : noted(request, made, effectOf(made));
    }
    default:
      return assertNever(manner, 'manner of applying');
  }
}

async function merge(api: WorkloadApi, request: OneRequest, signal: AbortSignal): Promise<Effect> {
  const { object } = request;
  const replaced = request.isRepair ? undefined : await replaceKnown(api, request, signal);
  if (replaced !== undefined) return replaced;
  const live = await api.get(object, signal);
  if (live === undefined) {
    const made = await api.create(object, signal);
    return noted(request, made, effectOf(made));
  }
  const patch = patchOf(live, object);
  if (patch === undefined) return { kind: 'none' };
  const written = await api.patch(object, patch, signal);
  return noted(request, written, changeOf(live, written));
}

/**
 * If an object is unchanged since our last write, a replace has the same result as a patch, in one request that is
 * cheaper for the server. `undefined` if the version is unknown or no longer current.
 */
async function replaceKnown(api: WorkloadApi, request: OneRequest, signal: AbortSignal): Promise<Effect | undefined> {
  const { object, versions } = request;
  const version = versions.get(identityOf(object));
  if (version === undefined) return undefined;
  versions.forget(identityOf(object));
  const written = await api.replace(object, version, signal);
  if (written === undefined) return undefined;
  return noted(request, written, { kind: written.resourceVersion === version ? 'none' : 'changed' });
}

function noted({ object, versions }: OneRequest, written: Written | undefined, effect: Effect): Effect {
  if (written !== undefined) versions.note(identityOf(object), written);
  return effect;
}

async function applyServerSide(api: WorkloadApi, request: OneRequest, signal: AbortSignal): Promise<Effect> {
  const { object, notesMade, areKnown } = request;
  // The live object is read only if the caller needs to know what changed.
  const live = notesMade || areKnown ? await api.get(object, signal) : undefined;
  const written = await api.apply(object, signal);
  if (live !== undefined) return changeOf(live, written);
  return notesMade ? effectOf(written) : { kind: 'changed' };
}

function effectOf(written: Written | undefined): Effect {
  return written === undefined ? { kind: 'none' } : { kind: 'made', uid: written.uid };
}

/** The server keeps the version if a write changes nothing. */
function changeOf({ metadata }: JsonObject, { resourceVersion }: Written): Effect {
  const before = isJsonObject(metadata) ? metadata['resourceVersion'] : undefined;
  return { kind: before === resourceVersion ? 'none' : 'changed' };
}
