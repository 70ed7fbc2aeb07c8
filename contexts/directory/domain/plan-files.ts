import { type DesiredFile, parentsOf } from './desired-file.ts';
import type { OwnedFile } from './order.ts';
import { folded } from './safe-path.ts';

/** The current state of a path. */
export type Observed =
  | { readonly kind: 'absent' }
  | { readonly kind: 'file'; readonly sha256: string; readonly mode: number }
  /** A link, a folder, a device: nothing that this agent creates. */
  | { readonly kind: 'other'; readonly what: string };

export interface Situation {
  readonly desired: readonly (DesiredFile & { readonly sha256: string })[];
  readonly owned: Readonly<Record<string, OwnedFile>>;
  /** Paths of other deployments in the same folder, with their owners. */
  readonly others: ReadonlyMap<string, string>;
  /** Of every desired or owned path. */
  readonly disk: ReadonlyMap<string, Observed>;
}

export type FilePlan =
  | {
      readonly kind: 'plan';
      readonly writes: readonly (DesiredFile & { readonly sha256: string })[];
      /** Deepest first. */
      readonly removals: readonly string[];
    }
  /** Nothing is written. */
  | { readonly kind: 'conflict'; readonly message: string };

/** The changes from the current to the desired state. Files that are already as desired are not touched. */
export function planFiles({ desired, owned, others, disk }: Situation): FilePlan {
  const claims = claimsOf(others);
  const writes: (DesiredFile & { readonly sha256: string })[] = [];
  for (const file of desired) {
    const other = claims(file.path);
    if (other !== undefined) return { kind: 'conflict', message: `${file.path} belongs to the deployment ${other}.` };
    const there = disk.get(file.path) ?? { kind: 'absent' };
    const conflict = conflictOf(file, there, Object.hasOwn(owned, file.path));
    if (conflict !== undefined) return { kind: 'conflict', message: conflict };
    const isRight = there.kind === 'file' && there.sha256 === file.sha256 && there.mode === file.mode;
    if (!isRight) writes.push(file);
  }
  const stays = new Set(desired.map(({ path }) => path));
  const removals = Object.keys(owned)
    .filter((path) => !stays.has(path) && disk.get(path)?.kind === 'file')
    .sort((one, two) => (one < two ? 1 : -1));
  return { kind: 'plan', writes, removals };
}

function conflictOf({ path, adopts }: DesiredFile, there: Observed, isOurs: boolean): string | undefined {
  if (there.kind === 'other') return `${path} is ${there.what} and is not overwritten. Remove it, and deliver again.`;
  if (there.kind === 'absent' || isOurs || adopts) return undefined;
  return `${path} already exists and belongs to no deployment. Set onConflict: adopt to take it over, or remove it.`;
}

/** The owner of the path or of a conflicting one: a file where this path needs a folder, or the reverse. */
function claimsOf(others: ReadonlyMap<string, string>): (path: string) => string | undefined {
  const files = new Map<string, string>();
  const folders = new Map<string, string>();
  for (const [path, deployment] of others) {
    files.set(folded(path), deployment);
    for (const parent of parentsOf(path)) folders.set(folded(parent), deployment);
  }
  return (path) => {
    const own = folded(path);
    const above = parentsOf(path).map((parent) => files.get(folded(parent)));
    return files.get(own) ?? folders.get(own) ?? above.find((deployment) => deployment !== undefined);
  };
}

export interface Condition {
  readonly health: 'Available' | 'Degraded';
  readonly message: string;
  /** All paths that are not as delivered. */
  readonly drift: readonly string[];
}

/**
 * The health of delivered files. A missing file degrades the deployment; a changed file may still work, and counts as drift.
 */
export function conditionOf(
  owned: Readonly<Record<string, OwnedFile>>,
  disk: ReadonlyMap<string, Observed>,
): Condition {
  const missing: string[] = [];
  const drift: string[] = [];
  for (const path of Object.keys(owned).sort()) {
    const there = disk.get(path) ?? { kind: 'absent' };
    const its = owned[path];
    if (there.kind === 'file' && there.sha256 === its?.sha256 && there.mode === its.mode) continue;
    drift.push(path);
    if (there.kind !== 'file') missing.push(path);
  }
  if (missing.length === 0) return { health: 'Available', message: '', drift };
  const more = missing.length > 3 ? ` and ${missing.length - 3} more` : '';
  const verb = missing.length === 1 ? 'is' : 'are';
  return { health: 'Degraded', message: `${missing.slice(0, 3).join(', ')}${more} ${verb} missing`, drift };
}
