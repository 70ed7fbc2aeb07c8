import type { JsonObject } from '#kit/std';
import type { TargetId } from '#protocol/targets';
import type { Deployment, DeploymentSpec } from '../../domain/deployment/deployment.ts';
import { type DocumentChange, diffPayloads, diffSpecs, type FieldChange } from '../../domain/manifest/payload-diff.ts';
import type { UnitOfWork } from '../ports.ts';
import { getRevision } from './read-revision.ts';
import { targetNames } from './target-names.ts';

export interface DiffRevisions {
  readonly deployment: Deployment;
  readonly revision: number;
  /** The previous revision by default. */
  readonly against: number | undefined;
  /** Name or uid of the target to show. */
  readonly target: string | undefined;
  readonly after: TargetKey | undefined;
  readonly limit: number;
}

/** Names may be reused, so the id distinguishes targets of the same name. */
export type TargetKey = readonly [name: string, id: string];

export interface TargetDiff {
  readonly id: TargetId;
  readonly name: string;
  readonly kind: ChangeKind;
  readonly documents: readonly DocumentChange[];
}

export type ChangeKind = 'added' | 'removed' | 'changed';

export interface RevisionDiff {
  readonly revision: number;
  /** `undefined` if there is no earlier revision. */
  readonly against: number | undefined;
  readonly spec: readonly FieldChange[];
  /** Over all targets. */
  readonly counts: Readonly<Record<ChangeKind | 'unchanged', number>>;
  /** The targets that differ, ordered by name. */
  readonly targets: readonly TargetDiff[];
  readonly next: TargetKey | undefined;
}

/** The differences between two revisions, in the spec and for each target. Contains no secret. */
export async function diffRevisions(
  unit: UnitOfWork,
  command: DiffRevisions,
  signal: AbortSignal,
): Promise<RevisionDiff> {
  const { deployment, revision } = command;
  const later = await getRevision(unit, deployment, revision, signal);
  const against = command.against ?? (await numberBefore(unit, deployment, revision, signal));
  const earlier = against === undefined ? undefined : await getRevision(unit, deployment, against, signal);
  const changes = await changedTargets(unit, { deployment, revision, against }, signal);
  const { target, after, limit } = command;
  const wanted = changes.differing
    .filter(({ id, name }) => target === undefined || target === name || target === id)
    .filter(({ name, id }) => after === undefined || isAfter([name, id], after));
  const page = wanted.slice(0, limit);
  const last = wanted.length > limit ? page.at(-1) : undefined;
  return {
    revision,
    against,
    spec: diffDeploymentSpecs(earlier?.spec, later.spec),
    counts: changes.counts,
    targets: await withDocuments(unit, page, signal),
    next: last === undefined ? undefined : [last.name, last.id],
  };
}

/** Field by field. Secrets are compared by their references, and never shown. */
export function diffDeploymentSpecs(
  before: DeploymentSpec | undefined,
  after: DeploymentSpec | undefined,
): readonly FieldChange[] {
  return diffSpecs(before as unknown as JsonObject | undefined, after as unknown as JsonObject | undefined);
}

async function numberBefore(
  { revisions }: UnitOfWork,
  { uid }: Deployment,
  revision: number,
  signal: AbortSignal,
): Promise<number | undefined> {
  const [before] = await revisions.page({ deployment: uid, before: revision, limit: 1 }, signal);
  return before?.revision;
}

interface Changed {
  readonly id: TargetId;
  readonly name: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

async function changedTargets(
  unit: UnitOfWork,
  { deployment, revision, against }: Pick<DiffRevisions, 'deployment' | 'revision' | 'against'>,
  signal: AbortSignal,
): Promise<{ readonly counts: RevisionDiff['counts']; readonly differing: readonly Changed[] }> {
  const keyOf = (number: number) => ({ deployment: deployment.uid, revision: number });
  const had = against === undefined ? new Map<TargetId, string>() : await unit.contents.at(keyOf(against), signal);
  const has = await unit.contents.at(keyOf(revision), signal);
  const ids = [...new Set([...had.keys(), ...has.keys()])];
  const differing = ids.filter((id) => had.get(id) !== has.get(id));
  const openings = [
    await unit.rollouts.opening(keyOf(revision), signal),
    against === undefined ? undefined : await unit.rollouts.opening(keyOf(against), signal),
  ];
  const names = await targetNames(unit, { deployment: deployment.uid, ids: differing, openings }, signal);
  const changes = differing
    .map((id) => ({ id, name: names.get(id) ?? id, before: had.get(id), after: has.get(id) }))
    .sort((a, b) => (isAfter([a.name, a.id], [b.name, b.id]) ? 1 : -1));
  const count = (kind: ChangeKind) => changes.filter((change) => kindOf(change) === kind).length;
  const counts = { added: count('added'), removed: count('removed'), changed: count('changed') };
  return { counts: { ...counts, unchanged: ids.length - differing.length }, differing: changes };
}

/** Many targets get the same change, so each distinct change is computed once. */
async function withDocuments(
  { contents }: UnitOfWork,
  changes: readonly Changed[],
  signal: AbortSignal,
): Promise<readonly TargetDiff[]> {
  const hashes = changes.flatMap(({ before, after }) => [before, after].filter((hash) => hash !== undefined));
  const payloads = await contents.find(hashes, { withSecrets: false }, signal);
  const done = new Map<string, readonly DocumentChange[]>();
  return changes.map((change) => {
    const { id, name, before = '', after = '' } = change;
    const key = `${before} ${after}`;
    const documents = done.get(key) ?? diffPayloads(payloads.get(before), payloads.get(after));
    done.set(key, documents);
    return { id, name, kind: kindOf(change), documents };
  });
}

function kindOf({ before, after }: Changed): ChangeKind {
  if (before === undefined) return 'added';
  return after === undefined ? 'removed' : 'changed';
}

function isAfter([name, id]: TargetKey, [otherName, otherId]: TargetKey): boolean {
  return name === otherName ? id > otherId : name > otherName;
}
