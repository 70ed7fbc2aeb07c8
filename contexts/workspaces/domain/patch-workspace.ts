import { displayNameFaults } from './display-name.ts';
import { type Labels, labelFaults, sortedLabels } from './labels.ts';
import type { Workspace } from './workspace.ts';
import { invalidWorkspace } from './workspace-error.ts';

/** A JSON merge patch (RFC 7396): what is absent stays, `null` removes, labels are merged one by one. */
export interface WorkspacePatch {
  readonly displayName?: string | null;
  readonly labels?: Readonly<Record<string, string | null>> | null;
}

/** The very same value when the patch changes nothing, so that nobody writes or announces it. */
export function patchWorkspace(workspace: Workspace, patch: WorkspacePatch, now: number): Workspace {
  const displayName = patch.displayName === undefined ? workspace.displayName : (patch.displayName ?? undefined);
  const labels = mergeLabels(workspace.labels, patch.labels);
  const faults = [...displayNameFaults(displayName), ...labelFaults(labels)];
  if (faults.length > 0) throw invalidWorkspace(faults);
  if (displayName === workspace.displayName && sameLabels(labels, workspace.labels)) return workspace;
  return {
    ...workspace,
    displayName,
    labels,
    generation: workspace.generation + 1,
    version: workspace.version + 1,
    // A clock that was set back must not make a change look older than the one before it.
    updateTime: Math.max(now, workspace.updateTime),
  };
}

function mergeLabels(labels: Labels, patch: WorkspacePatch['labels']): Labels {
  if (patch === undefined) return labels;
  const merged = new Map(Object.entries(labels));
  if (patch === null) merged.clear();
  for (const [key, value] of Object.entries(patch ?? {})) {
    if (value === null) merged.delete(key);
    else merged.set(key, value);
  }
  return sortedLabels(Object.fromEntries(merged));
}

function sameLabels(a: Labels, b: Labels): boolean {
  const entries = Object.entries(a);
  return entries.length === Object.keys(b).length && entries.every(([key, value]) => b[key] === value);
}
