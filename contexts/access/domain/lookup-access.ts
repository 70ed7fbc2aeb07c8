import type { AccessState } from './access-state.ts';
import type { Asker } from './asker.ts';
import { attributesOn, nodeAskedOn, type Question } from './decide-access.ts';
import type { Attributes } from './grant.ts';
import { rolesGivenBy } from './grant-book.ts';
import { isSameResource, type ResourceKind, type ResourceRef, ROOT } from './resource-ref.ts';
import { type Subject, type SubjectKey, subjectKey, subjectOf } from './subject.ts';
import { commonTops, topsOf } from './visible-set.ts';

/** Where to continue in a list sorted by one string, and how many results to return. */
export interface LookupRange {
  readonly after: string | undefined;
  readonly limit: number;
}

export interface PermittedResource {
  readonly resource: ResourceRef;
  /** The sets of values; any one suffices. Empty for a built-in permission. */
  readonly attributes: readonly Attributes[];
}

export interface ResourceLookup extends LookupRange {
  readonly permission: string;
  /** Only resources on which this asker has `access.lookup`. */
  readonly visibleTo?: Asker | undefined;
}

/**
 * The resources on which the asker has the permission, by name: targets if the permission is about targets (as all
 * permissions of addons are), the root if it is instance-wide, workspaces otherwise.
 */
export function permittedResources(
  state: AccessState,
  asker: Asker,
  { permission, after, limit, visibleTo }: ResourceLookup,
): PermittedResource[] {
  const reach = state.permissions.ruleOf(permission)?.reach;
  const granted = topsOf(state, asker, permission);
  // Intersect before listing, so that the cost depends on the reader's rights and not on the other subject's.
  const tops =
    visibleTo === undefined ? granted : commonTops(state, granted, topsOf(state, visibleTo, 'access.lookup'));
  if (reach === undefined || tops.length === 0) return [];
  const kind: ResourceKind = reach === 'target' ? 'target' : 'workspace';
  const first = new FirstInOrder({ after, limit });
  if (reach === 'instance') {
    if (tops.some((top) => isSameResource(top, ROOT))) first.offer(ROOT.name);
  } else for (const top of tops) state.tree.visitDown(top, kind, (name) => first.offer(name));
  return first.taken().map((name) => {
    const resource = { kind, name };
    return { resource, attributes: attributesOn(state, asker, { permission, resource }) };
  });
}

/**
 * The subjects that have the permission, by kind and id. Groups are not expanded, since only their issuer knows the
 * members.
 */
export function permittedSubjects(
  state: AccessState,
  { permission, resource }: Question,
  range: LookupRange,
): Subject[] {
  const rule = state.permissions.ruleOf(permission);
  const node = rule && nodeAskedOn(state, rule, resource);
  if (rule === undefined || node === undefined) return [];
  const first = new FirstInOrder<SubjectKey>(range);
  for (const { uid } of state.tree.lineage(node)) {
    for (const grant of state.grants.on(uid)) {
      const { gives, subject } = grant;
      const byName = gives.kind === 'permission' && gives.permission === permission;
      if (byName || (rolesGivenBy(grant) & rule.roles) !== 0) first.offer(subjectKey(subject));
    }
  }
  return first.taken().map(subjectOf);
}

/** The first `limit` strings after a position, from any number offered in any order. Holds at most twice as many. */
class FirstInOrder<T extends string = string> {
  readonly #range: LookupRange;
  #texts = new Set<T>();
  /** Strings after this one are not among the first. */
  #bound: T | undefined;

  constructor(range: LookupRange) {
    this.#range = range;
  }

  offer(text: T): void {
    const { after, limit } = this.#range;
    if ((after !== undefined && text <= after) || (this.#bound !== undefined && text > this.#bound)) return;
    this.#texts.add(text);
    if (this.#texts.size >= limit * 2) this.#keepFirst();
  }

  taken(): T[] {
    this.#keepFirst();
    return [...this.#texts];
  }

  #keepFirst(): void {
    const sorted = [...this.#texts].sort().slice(0, this.#range.limit);
    this.#texts = new Set(sorted);
    if (sorted.length === this.#range.limit) this.#bound = sorted.at(-1);
  }
}
