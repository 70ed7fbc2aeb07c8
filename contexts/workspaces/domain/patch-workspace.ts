import { type LabelsPatch, labelFaults, mergeLabels, sameLabels } from '#kit/std';
import { displayNameFaults } from './display-name.ts';
import { kindFaults, ownRegionFaults, type Workspace } from './workspace.ts';
import { invalidWorkspace } from './workspace-error.ts';

/** A JSON merge patch (RFC 7396): what is absent stays, `null` removes, labels are merged one by one. */
export interface WorkspacePatch {
  readonly displayName?: string | null;
  readonly labels?: LabelsPatch;
  /** Of a Domain only. */
  readonly region?: string | null;
}

/** The very same value when the patch changes nothing, so that nobody writes or announces it. */
export function patchWorkspace(workspace: Workspace, patch: WorkspacePatch, now: number): Workspace {
  const { kind, slug } = workspace;
  const displayName = patch.displayName === undefined ? workspace.displayName : (patch.displayName ?? undefined);
  const region = patch.region === undefined ? workspace.region : (patch.region ?? undefined);
  const labels = mergeLabels(workspace.labels, patch.labels);
  const faults = [
    ...displayNameFaults(displayName),
    ...labelFaults(labels),
    ...kindFaults({ kind, slug, region }),
    ...ownRegionFaults(kind, patch.region),
  ];
  if (faults.length > 0) throw invalidWorkspace(faults);
  const same = displayName === workspace.displayName && region === workspace.region;
  if (same && sameLabels(labels, workspace.labels)) return workspace;
  return {
    ...workspace,
    displayName,
    region,
    labels,
    generation: workspace.generation + 1,
    version: workspace.version + 1,
    // A clock that was set back must not make a change look older than the one before it.
    updateTime: Math.max(now, workspace.updateTime),
  };
}
