import { parseResourcePath, type ResourceRef } from './resource-ref.ts';
import { ALL_ROLES, isRole, NO_ROLES, type RoleSet, roleAndImplied } from './role.ts';
import { isSubjectKind, type SubjectKey, subjectKey } from './subject.ts';

/** Who is asking, as authentication left him. */
export interface Caller {
  /** A kind of subject; or `admin`, the holder of the instance's own credential. Of any other kind he may do nothing. */
  readonly kind: string;
  readonly id: string;
  readonly groups?: readonly string[];
  /** What his token is narrowed to. */
  readonly scope?: CallerScope;
}

export interface CallerScope {
  /** The path of a workspace or target: nothing outside of it. */
  readonly within?: string;
  /** Nothing that needs another role, or a permission that was granted and that none of these implies. */
  readonly roles?: readonly string[];
}

/** A caller in the terms of a decision. */
export interface Asker {
  /** Himself and his groups: what was granted to any of them is his. */
  readonly subjects: ReadonlySet<SubjectKey>;
  /** Whether he is admin of the root without a grant. */
  readonly instanceAdmin: boolean;
  readonly within: ResourceRef | undefined;
  /** Roles outside of these do not count. */
  readonly roles: RoleSet;
  /** Whether permissions that were granted by name count, beside those that his roles imply. */
  readonly byName: boolean;
}

const NOBODY: Asker = {
  subjects: new Set(),
  instanceAdmin: false,
  within: undefined,
  roles: NO_ROLES,
  byName: false,
};

/** A scope that cannot be read is a scope in which there is nothing: doubt never widens a token. */
export function askerOf({ kind, id, groups = [], scope = {} }: Caller): Asker {
  const instanceAdmin = kind === 'admin';
  if (!instanceAdmin && !isSubjectKind(kind)) return NOBODY;
  const within = scope.within === undefined ? undefined : parseResourcePath(scope.within);
  if (scope.within !== undefined && within === undefined) return NOBODY;
  const subjects = new Set(groups.map((group) => subjectKey({ kind: 'group', id: group })));
  if (isSubjectKind(kind)) subjects.add(subjectKey({ kind, id }));
  return { subjects, instanceAdmin, within, roles: rolesIn(scope), byName: scope.roles === undefined };
}

/** The same without what his token is narrowed to. */
export function unscoped(asker: Asker): Asker {
  return { ...asker, within: undefined, roles: ALL_ROLES, byName: true };
}

function rolesIn({ roles }: CallerScope): RoleSet {
  if (roles === undefined) return ALL_ROLES;
  return roles.filter(isRole).reduce((all, role) => all | roleAndImplied(role), NO_ROLES);
}
