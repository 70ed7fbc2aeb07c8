import type { Deployment, DeploymentId } from '../domain/deployment/deployment.ts';
import type { DeploymentTarget } from '../domain/deployment/deployment-target.ts';
import { type ManifestRegistry, parseManifest } from '../domain/manifest/manifest-strategy.ts';
import type { PlacementRegistry } from '../domain/placement/placement-registry.ts';
import type { UnitOfWork } from './ports.ts';
import {
  mergedChanges,
  type PlacedView,
  pathsAbove,
  type Standing,
  type TargetChange,
  triggersOf,
} from './target-changes.ts';
import { requestPlan } from './wake-pipeline.ts';

export interface TargetChangesDeps {
  readonly placements: PlacementRegistry;
  readonly manifests: ManifestRegistry;
}

export interface TakeTargetChanges {
  readonly changes: readonly TargetChange[];
  /** The targets that still exist, as they are now or were a moment ago: a later change is reported separately. */
  readonly views: readonly PlacedView[];
  readonly now: number;
}

const EVERYTHING = ['/labels', '/properties', '/manifestTypes'];
/** A few thousand deployments, more than an instance has under way; others are parsed again. */
const REMEMBERED = 5_000;

/** Turns changes of targets into triggers, only for the deployments they may concern. */
export class TargetChanges {
  readonly #deps: TargetChangesDeps;
  /** Parsing a manifest takes a while, and the result holds until the deployment is patched. */
  readonly #reads = new Map<DeploymentId, { readonly generation: number; readonly reads: readonly string[] }>();

  constructor(deps: TargetChangesDeps) {
    this.#deps = deps;
  }

  /** The same change may be passed twice. The plan drops triggers that change nothing. */
  async take(unit: UnitOfWork, { changes, views, now }: TakeTargetChanges, signal: AbortSignal): Promise<void> {
    const merged = mergedChanges(changes);
    const targets = merged.map(({ target }) => target);
    const rows = Map.groupBy(await unit.targets.onTargets(targets, signal), ({ deployment }) => deployment);
    const byId = new Map(views.map((view) => [view.id, view]));
    for (const deployment of await concerned(unit, { views, rows }, signal)) {
      const its = new Map(rows.get(deployment.uid)?.map((row) => [row.target, row]));
      const standings = merged.map((change): Standing => {
        return { change, view: byId.get(change.target), row: its.get(change.target) };
      });
      const { placements } = this.#deps;
      const triggers = triggersOf(deployment, standings, { placements, reads: this.#readsOf(deployment) });
      await requestPlan(unit, deployment.uid, { triggers, now }, signal);
    }
  }

  #readsOf({ uid, generation, spec }: Deployment): readonly string[] {
    const known = this.#reads.get(uid);
    if (known?.generation === generation) return known.reads;
    const parsed = parseManifest(spec.manifest, '/manifest', this.#deps.manifests);
    // A manifest that this release cannot parse may read anything.
    const reads = parsed.kind === 'parsed' ? parsed.value.reads : EVERYTHING;
    if (this.#reads.size >= REMEMBERED) this.#reads.clear();
    this.#reads.set(uid, { generation, reads });
    return reads;
  }
}

interface Concern {
  readonly views: readonly PlacedView[];
  readonly rows: ReadonlyMap<DeploymentId, readonly DeploymentTarget[]>;
}

/** Deployments above the targets, and those with content on them wherever the targets are now. */
async function concerned(unit: UnitOfWork, { views, rows }: Concern, signal: AbortSignal) {
  const paths = new Set(views.flatMap(({ workspacePath }) => pathsAbove(workspacePath)));
  const above = paths.size === 0 ? [] : await unit.deployments.inWorkspaces([...paths], signal);
  const known = new Set(above.map(({ uid }) => uid));
  const more = [...rows.keys()].filter((uid) => !known.has(uid));
  return more.length === 0 ? above : [...above, ...(await unit.deployments.getAll(more, signal))];
}
