import { type LabelsPatch, labelFaults, mergeLabels, sameLabels } from '#kit/std';
import { displayNameFaults } from './display-name.ts';
import { kindFaults, ownRegionFaults, type Workspace } from './workspace.ts';
import { invalidWorkspace } from './workspace-error.ts';
import { policyFaults, policyOf, samePolicy, type WorkspacePolicy } from './workspace-policy.ts';

/** A JSON merge patch (RFC 7396): absent fields stay unchanged, `null` removes, labels are merged one by one. */
export interface WorkspacePatch {
  readonly displayName?: string | null;
  readonly labels?: LabelsPatch;
  /** Only for a Domain. */
  readonly region?: string | null;
  /** Replaced as a whole. */
  readonly policy?: WorkspacePolicy | null;
}

/** Returns the same object when the patch changes nothing, so that nothing is written or announced. */
export function patchWorkspace(workspace: Workspace, patch: WorkspacePatch, now: number): Workspace {
  const { kind, slug } = workspace;
  const displayName = patch.displayName === undefined ? workspace.displayName : (patch.displayName ?? undefined);
  const region = patch.region === undefined ? workspace.region : (patch.region ?? undefined);
  const labels = mergeLabels(workspace.labels, patch.labels);
  const { policy: before, ...rest } = workspace;
  const policy = patch.policy === undefined ? before : policyOf(patch.policy).policy;
  const faults = [
    ...policyFaults(policy),
    ...displayNameFaults(displayName),
    ...labelFaults(labels),
    ...kindFaults({ kind, slug, region }),
    ...ownRegionFaults(kind, patch.region),
  ];
  if (faults.length > 0) throw invalidWorkspace(faults);
  const same = displayName === workspace.displayName && region === workspace.region && samePolicy(policy, before);
  if (same && sameLabels(labels, workspace.labels)) return workspace;
  return {
    ...rest,
    displayName,
    region,
    labels,
    ...policyOf(policy),
    generation: workspace.generation + 1,
    version: workspace.version + 1,
    // A clock that was set back must not make a change look older than the previous one.
    updateTime: Math.max(now, workspace.updateTime),
  };
}
