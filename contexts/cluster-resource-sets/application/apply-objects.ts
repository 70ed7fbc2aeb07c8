import type { JsonObject } from '#kit/std';
import { assertNever } from '#kit/std';
import { isCrsError } from '../domain/crs-error.ts';
import { identityOf } from '../domain/describe-object.ts';
import { idOf } from '../domain/inventory.ts';
import { isJsonObject } from '../domain/json-value.ts';
import type { ManifestObject } from '../domain/manifest.ts';
import { mergePatch } from '../domain/merge-patch.ts';
import type { VersionsOfCluster } from './known-versions.ts';
import type { WorkloadApi, Written } from './ports.ts';

/** `create` leaves alone what is there, `merge` makes it as the manifest says, `server-side` owns what the manifest says. */
export type Manner = 'create' | 'merge' | 'server-side';

export interface ApplyRequest {
  readonly objects: readonly ManifestObject[];
  readonly manner: Manner;
  /** They were applied before, so that it is worth looking first. */
  readonly areKnown: boolean;
  /** Whether it has to be known which of them were made now: what others made is not ours to delete. */
  readonly notesMade: boolean;
  /** They are only put right, so that most likely nothing is to be written. */
  readonly isRepair: boolean;
  /** Of objects of this cluster, as far as they are known. */
  readonly versions: VersionsOfCluster;
}

export interface ApplyResult {
  /** In the words of the server; none when all went well. */
  readonly refusals: readonly string[];
  /** Whether anything in the cluster is other than before. */
  readonly changed: boolean;
  /** By id, the uid of those that were not there before. */
  readonly made: ReadonlyMap<string, string>;
}

/**
 * One after the other, in the order of the manifest; one that is refused does not keep the others from being tried. Throws
 * `CLUSTER_UNREACHABLE` at once when the cluster does not answer: the others would wait for it one by one.
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
      // What was never applied is most likely not there: one request instead of two.
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
  const patch = mergePatch(live, object);
  if (patch === undefined) return { kind: 'none' };
  const written = await api.patch(object, patch, signal);
  return noted(request, written, changeOf(live, written));
}

/**
 * What nobody has touched since we wrote it comes to the same whether it is patched or replaced: in one request, and one that
 * is cheaper for the server. `undefined` when that is not known, or no longer so.
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
  // Only whoever wants to know what changed has to look.
  const live = notesMade || areKnown ? await api.get(object, signal) : undefined;
  const written = await api.apply(object, signal);
  if (live !== undefined) return changeOf(live, written);
  return notesMade ? effectOf(written) : { kind: 'changed' };
}

function effectOf(written: Written | undefined): Effect {
  return written === undefined ? { kind: 'none' } : { kind: 'made', uid: written.uid };
}

/** A server that finds nothing new in what it is told keeps the version. */
function changeOf({ metadata }: JsonObject, { resourceVersion }: Written): Effect {
  const before = isJsonObject(metadata) ? metadata['resourceVersion'] : undefined;
  return { kind: before === resourceVersion ? 'none' : 'changed' };
}
