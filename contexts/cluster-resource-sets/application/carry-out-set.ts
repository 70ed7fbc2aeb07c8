import type { Clock } from '#kit/std';
import type { ResourceEntry } from '../domain/binding.ts';
import type { Cluster } from '../domain/cluster.ts';
import { kubeTime } from '../domain/kube-time.ts';
import type { Manner } from './apply-objects.ts';
import { applyObjects } from './apply-objects.ts';
import type { Attempts } from './attempts.ts';
import type { KnownVersions } from './known-versions.ts';
import type { WorkloadApi } from './ports.ts';
import type { Pruning } from './pruning.ts';
import { attemptOf, type Step, type Survey } from './survey-set.ts';

export interface CarryOutDeps {
  readonly attempts: Attempts;
  readonly pruning: Pruning;
  readonly versions: KnownVersions;
  readonly clock: Clock;
  /** Called when drift was repaired. */
  readonly repaired: (survey: Survey, step: Step) => void;
}

interface Place {
  readonly api: WorkloadApi;
  readonly cluster: Cluster;
  /** Called after each resource, so that completed work is recorded even if a later step fails. */
  readonly record: (entry: ResourceEntry) => void;
}

/** Applies a set to a cluster: its resources one after another, even if an earlier one is refused. */
export async function carryOutSet(
  deps: CarryOutDeps,
  survey: Survey,
  { api, cluster, record }: Place,
  signal: AbortSignal,
): Promise<void> {
  const { set } = survey;
  const made = new Map<string, string>();
  const key = `${cluster.namespace}/${cluster.name}`;
  const versions = deps.versions.of(key);
  await deps.pruning.announce(survey, cluster, signal);
  for (const step of survey.steps) {
    const { resource, objects, hash, isKnown, isRepair } = step;
    const manner = mannerOf(survey);
    const request = { objects, manner, areKnown: isKnown, notesMade: set.options.prune, isRepair, versions };
    const result = await applyObjects(api, request, signal);
    for (const [id, uid] of result.made) made.set(id, uid);
    const isApplied = result.refusals.length === 0;
    const what = attemptOf(set, resource);
    if (isApplied) deps.attempts.succeeded(key, what);
    else deps.attempts.failed(key, what, { hash, why: wordsOf(result.refusals) });
    if (step.isRepair && isApplied && !result.changed) continue;
    if (step.isRepair && isApplied) deps.repaired(survey, step);
    const { kind, name } = resource;
    record({ kind, name, applied: isApplied, hash, lastAppliedTime: kubeTime(deps.clock.now()) });
  }
  await deps.pruning.prune(survey, { api, cluster, made }, signal);
}

function mannerOf({ strategy, set }: Survey): Manner {
  if (strategy === 'ApplyOnce') return 'create';
  return set.options.serverSideApply ? 'server-side' : 'merge';
}

/** In the format in which Go joins several errors. */
function wordsOf(refusals: readonly string[]): string {
  const [only = ''] = refusals;
  return refusals.length === 1 ? only : `[${refusals.join(', ')}]`;
}
