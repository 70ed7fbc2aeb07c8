import { parseResourcePath, type ResourceRef } from './resource-ref.ts';
import { ALL_ROLES, isRole, NO_ROLES, type RoleSet, roleAndImplied } from './role.ts';
import { isSubjectKind, type SubjectKey, subjectKey } from './subject.ts';

/** The party that makes the request, as authentication established it. */
export interface Caller {
  /** A kind of subject, or `admin` for the instance's own credential. A caller of any other kind has no rights. */
  readonly kind: string;
  readonly id: string;
  readonly groups?: readonly string[];
  /** The limits of the caller's token. */
  readonly scope?: CallerScope;
}

export interface CallerScope {
  /** The path of a workspace or target; the token is not valid outside of it. */
  readonly within?: string;
  /** Only these roles count. Permissions count only if one of these roles implies them, even when granted by name. */
  readonly roles?: readonly string[];
}

/** A caller in terms of a decision. */
export interface Asker {
  /** The caller itself and its groups: a grant to any of them is a grant to the caller. */
  readonly subjects: ReadonlySet<SubjectKey>;
  /** Whether the caller is admin of the root without a grant. */
  readonly instanceAdmin: boolean;
  readonly within: ResourceRef | undefined;
  /** Roles outside of this set do not count. */
  readonly roles: RoleSet;
  /** Whether permissions granted by name count, in addition to those that the roles imply. */
  readonly byName: boolean;
}

const NOBODY: Asker = {
  subjects: new Set(),
  instanceAdmin: false,
  within: undefined,
  roles: NO_ROLES,
  byName: false,
};

/** A scope that cannot be parsed covers nothing: doubt never widens a token. */
export function askerOf({ kind, id, groups = [], scope = {} }: Caller): Asker {
  const instanceAdmin = kind === 'admin';
  if (!instanceAdmin && !isSubjectKind(kind)) return NOBODY;
  const within = scope.within === undefined ? undefined : parseResourcePath(scope.within);
  if (scope.within !== undefined && within === undefined) return NOBODY;
  const subjects = new Set(groups.map((group) => subjectKey({ kind: 'group', id: group })));
  if (isSubjectKind(kind)) subjects.add(subjectKey({ kind, id }));
  return { subjects, instanceAdmin, within, roles: rolesIn(scope), byName: scope.roles === undefined };
}

/** The same asker without the limits of its token. */
export function unscoped(asker: Asker): Asker {
  return { ...asker, within: undefined, roles: ALL_ROLES, byName: true };
}

function rolesIn({ roles }: CallerScope): RoleSet {
  if (roles === undefined) return ALL_ROLES;
  return roles.filter(isRole).reduce((all, role) => all | roleAndImplied(role), NO_ROLES);
}
