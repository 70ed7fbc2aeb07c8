import type { Resource } from '#kit/kube';
import type { Runnable } from '#kit/reconcile';
import { CrsProcessError } from '../crs-process-error.ts';
import { type FindDeps, findNeighbours, findWriter } from './find-neighbours.ts';
import { isKeptApart, type Neighbour, refusalOf, type Scope } from './kept-apart.ts';

export interface RefuseDeps extends FindDeps {
  readonly ours: Scope;
  /** The kind whose status both would write. */
  readonly sets: Resource;
}

/** A manager may also be installed later. */
const LOOK_EVERY_MS = 60_000;

/** Throws `CLUSTER_API_AT_WORK` if an active Cluster API manager manages the same objects. */
export async function refuseNeighbours(deps: RefuseDeps, signal: AbortSignal): Promise<void> {
  const { ours, sets } = deps;
  const neighbours = await findNeighbours(deps, signal);
  judge(deps, neighbours);
  if (neighbours.length > 0 || ours.watchFilter !== undefined) return;
  const { namespace } = ours;
  const writer = await findWriter(deps, { resource: sets, ...(namespace && { namespace }) }, signal);
  // It wrote in our own namespace, so the namespace does not keep us apart.
  if (writer !== undefined) throw new CrsProcessError('CLUSTER_API_AT_WORK', refusalOf(writer));
}

/** Stops the work if a manager appears; the next start says what to do. */
export function neighbourWatch(deps: RefuseDeps): Runnable {
  return {
    name: 'neighbour watch',
    run: async (signal) => {
      for (;;) {
        await deps.sleep(LOOK_EVERY_MS, signal);
        judge(deps, await seen(deps, signal));
      }
    },
  };
}

/** A failed request does not count as a manager. */
async function seen(deps: RefuseDeps, signal: AbortSignal): Promise<readonly Neighbour[]> {
  try {
    return await findNeighbours(deps, signal);
  } catch (err) {
    signal.throwIfAborted();
    deps.log.warn({ err }, 'search for a Cluster API manager failed; retrying');
    return [];
  }
}

function judge({ ours, log }: RefuseDeps, neighbours: readonly Neighbour[]): void {
  const clash = neighbours.find((neighbour) => !isKeptApart(ours, neighbour));
  if (clash !== undefined) throw new CrsProcessError('CLUSTER_API_AT_WORK', refusalOf(clash));
  for (const { found, scope } of neighbours) {
    if (scope !== undefined) continue;
    log.warn(
      { name: found },
      'Cluster API manager active, flags unknown; relying on our own namespace or watch filter',
    );
  }
}
