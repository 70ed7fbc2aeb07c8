import type { IndexedGrant } from './access-change.ts';
import { Departed } from './departed.ts';
import { NO_ROLES, type RoleSet, roleAndImplied } from './role.ts';
import { type SubjectKey, subjectKey } from './subject.ts';

/** The grants of one subject on one resource. */
export interface Held {
  /** Includes implied roles. */
  readonly roles: RoleSet;
  readonly grants: readonly IndexedGrant[];
}

/** All grants, indexed by resource and by subject. */
export class GrantBook {
  readonly #byUid = new Map<string, IndexedGrant>();
  /** By the uid of the resource, then by subject; `#ofSubject` the other way round. */
  readonly #onResource = new Map<string, Map<SubjectKey, Held>>();
  readonly #ofSubject = new Map<SubjectKey, Map<string, Held>>();
  readonly #departed = new Departed();

  /** Visits the grants of the subjects on the resource. Iterates over the shorter of the two lists. */
  visitHeld(resourceUid: string, subjects: ReadonlySet<SubjectKey>, visit: (held: Held) => void): void {
    const here = this.#onResource.get(resourceUid);
    if (here === undefined) return;
    if (here.size < subjects.size) {
      for (const [subject, held] of here) if (subjects.has(subject)) visit(held);
      return;
    }
    for (const subject of subjects) {
      const held = here.get(subject);
      if (held !== undefined) visit(held);
    }
  }

  /** Keyed by the uid of the resource. */
  heldBy(subject: SubjectKey): ReadonlyMap<string, Held> | undefined {
    return this.#ofSubject.get(subject);
  }

  /** Unordered. */
  on(resourceUid: string): IndexedGrant[] {
    return [...(this.#onResource.get(resourceUid)?.values() ?? [])].flatMap(({ grants }) => grants);
  }

  /** A grant never changes, so one that is known or deleted is ignored. */
  add(grant: IndexedGrant): void {
    if (this.#byUid.has(grant.uid) || this.#departed.has(grant.uid)) return;
    this.#byUid.set(grant.uid, grant);
    this.#replace(grant, (held) => [...held, grant]);
  }

  remove(uid: string): void {
    this.#departed.add(uid);
    const grant = this.#byUid.get(uid);
    if (grant === undefined) return;
    this.#byUid.delete(uid);
    this.#replace(grant, (held) => held.filter((other) => other !== grant));
  }

  #replace(
    { resource: { uid }, subject }: IndexedGrant,
    next: (held: readonly IndexedGrant[]) => IndexedGrant[],
  ): void {
    const key = subjectKey(subject);
    const grants = next(this.#onResource.get(uid)?.get(key)?.grants ?? []);
    const held = grants.length === 0 ? undefined : heldOf(grants);
    setIn(this.#onResource, [uid, key], held);
    setIn(this.#ofSubject, [key, uid], held);
  }
}

/** The roles that a grant confers, including implied ones. */
export function rolesGivenBy({ gives }: IndexedGrant): RoleSet {
  return gives.kind === 'role' ? roleAndImplied(gives.role) : NO_ROLES;
}

function heldOf(grants: readonly IndexedGrant[]): Held {
  return { grants, roles: grants.reduce((roles, grant) => roles | rolesGivenBy(grant), NO_ROLES) };
}

/** Removes inner maps that become empty. */
function setIn<A, B, V>(map: Map<A, Map<B, V>>, [a, b]: readonly [A, B], value: V | undefined): void {
  const inner = map.get(a) ?? new Map<B, V>();
  if (value === undefined) inner.delete(b);
  else inner.set(b, value);
  if (inner.size === 0) map.delete(a);
  else map.set(a, inner);
}
