import type { DesiredFile } from '../domain/desired-file.ts';
import type { DeploymentRecord, OwnedFile } from '../domain/order.ts';
import { type FilePlan, type Observed, planFiles } from '../domain/plan-files.ts';
import type { Folder, RecordStore } from './ports.ts';

export type HashedFile = DesiredFile & { readonly sha256: string };

export interface ApplyDeps {
  readonly folder: Folder;
  readonly records: RecordStore;
}

export interface Applied {
  /** Why nothing was written. */
  readonly conflict?: string;
  readonly files: Readonly<Record<string, OwnedFile>>;
}

/** The plan for these files, and their current state. */
export async function planFor(
  { folder, records }: ApplyDeps,
  about: { readonly record: DeploymentRecord; readonly desired: readonly HashedFile[] },
  signal: AbortSignal,
): Promise<FilePlan & { readonly disk: ReadonlyMap<string, Observed> }> {
  const { record, desired } = about;
  const paths = new Set([...desired.map(({ path }) => path), ...Object.keys(record.files)]);
  const disk = await folder.observe([...paths], signal);
  const others = othersOf(records, record.deployment);
  return { ...planFiles({ desired, owned: record.files, others, disk }), disk };
}

/**
 * Brings the files of a deployment to the desired state. Before the first change it records which files may be owned from now
 * on, so that a process that ends in the middle leaves no untracked files behind.
 */
export async function applyFiles(
  deps: ApplyDeps,
  about: { readonly record: DeploymentRecord; readonly desired: readonly HashedFile[] },
  signal: AbortSignal,
): Promise<Applied> {
  const { record, desired } = about;
  const plan = await planFor(deps, about, signal);
  if (plan.kind === 'conflict') return { conflict: plan.message, files: record.files };
  const files = Object.fromEntries(
    desired.map(({ path, sha256, mode, isSecret }) => [path, { sha256, mode, isSecret }]),
  );
  if (plan.writes.length > 0 || plan.removals.length > 0) {
    await deps.records.save({ ...record, files: { ...record.files, ...files }, held: undefined }, signal);
  }
  for (const { path, ...file } of plan.writes) await deps.folder.write(path, file, signal);
  for (const path of plan.removals) await deps.folder.remove(path, signal);
  return { files };
}

function othersOf(records: RecordStore, deployment: string): ReadonlyMap<string, string> {
  const others = new Map<string, string>();
  for (const record of records.all()) {
    if (record.deployment === deployment) continue;
    for (const path of Object.keys(record.files)) others.set(path, record.deployment);
  }
  return others;
}
