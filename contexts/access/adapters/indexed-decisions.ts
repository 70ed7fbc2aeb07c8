import { unknownPermission } from '../application/grant-service.ts';
import type { AccessDecisions, Identity, PermissionLookup, SubjectLookup, Verdict } from '../application/ports.ts';
import type { AccessIndex } from '../domain/access-index.ts';
import { askerOf, type Caller } from '../domain/asker.ts';
import type { Question } from '../domain/decide-access.ts';
import type { Explanation } from '../domain/explain-access.ts';
import type { PermittedResource } from '../domain/lookup-access.ts';
import { includesRole, ROLES } from '../domain/role.ts';
import { isSubjectKind, type Subject } from '../domain/subject.ts';
import type { VisibleSet } from '../domain/visible-set.ts';

/** Answers in process, from the index. */
export class IndexedDecisions implements AccessDecisions {
  readonly #index: AccessIndex;

  constructor(index: AccessIndex) {
    this.#index = index;
  }

  async allows(caller: Caller, question: Question, signal: AbortSignal): Promise<boolean> {
    signal.throwIfAborted();
    return this.#index.allows(askerOf(caller), question);
  }

  async visible(caller: Caller, permission: string, signal: AbortSignal): Promise<VisibleSet> {
    this.#begin(permission, signal);
    return this.#index.visible(askerOf(caller), permission);
  }

  async resolveIdentity(caller: Caller, signal: AbortSignal): Promise<Identity> {
    signal.throwIfAborted();
    const { kind, id, groups = [], scope } = caller;
    const { instanceAdmin, within, roles } = askerOf(caller);
    return {
      subject: isSubjectKind(kind) ? { kind, id } : undefined,
      groups,
      instanceAdmin,
      within,
      roles: scope?.roles === undefined ? undefined : ROLES.filter((role) => includesRole(roles, role)),
    };
  }

  async check(caller: Caller, question: Question, signal: AbortSignal): Promise<Verdict> {
    this.#begin(question.permission, signal);
    const asker = askerOf(caller);
    const roles = this.#index.rolesOn(asker, question.resource);
    return {
      allowed: this.#index.allows(asker, question),
      roles: ROLES.filter((role) => includesRole(roles, role)),
      attributes: this.#index.attributesOn(asker, question),
    };
  }

  async lookupPermissions(caller: Caller, lookup: PermissionLookup, signal: AbortSignal): Promise<PermittedResource[]> {
    this.#begin(lookup.permission, signal);
    const { visibleTo } = lookup;
    return this.#index.permittedResources(askerOf(caller), { ...lookup, visibleTo: visibleTo && askerOf(visibleTo) });
  }

  async lookupSubjects(lookup: SubjectLookup, signal: AbortSignal): Promise<Subject[]> {
    this.#begin(lookup.permission, signal);
    return this.#index.permittedSubjects(lookup, lookup);
  }

  async explain(caller: Caller, question: Question, signal: AbortSignal): Promise<Explanation> {
    this.#begin(question.permission, signal);
    return this.#index.explain(askerOf(caller), question);
  }

  #begin(permission: string, signal: AbortSignal): void {
    signal.throwIfAborted();
    if (!this.#index.knowsPermission(permission)) throw unknownPermission(permission);
  }
}
