import type { Caller } from '../domain/asker.ts';
import { type Grant, sameAttributes } from '../domain/grant.ts';
import { parseResourcePath, pathOf, type ResourceRef, ROOT, SEEING } from '../domain/resource-ref.ts';
import { includesRole, type Role, roleAndImplied } from '../domain/role.ts';
import type { Subject } from '../domain/subject.ts';
import type { AccessDecisions, GrantSearch } from './ports.ts';
import { allMatching } from './remove-grants.ts';

export interface TokenRights {
  readonly subject: Subject;
  readonly scope: NonNullable<Caller['scope']>;
}

/** The rights that a token would have and its maker has not. Empty and not hidden: there are none. */
export interface LackingRights {
  /** `admin on workspaces/shop`. */
  readonly rights: readonly string[];
  /** Whether there are more, on resources that the maker may not see. They are not named. */
  readonly hidden: boolean;
}

const NONE: LackingRights = { rights: [], hidden: false };

/**
 * The rights that the token would have and its maker lacks. Rights apply from their resource downwards, so
 * it is enough to compare them where the subject has a grant, and at the resource to which the token is narrowed.
 * `tokens.createAny` lifts the limit. (ADR-0054)
 */
export async function lackingRights(
  { search, decisions }: { readonly search: GrantSearch; readonly decisions: AccessDecisions },
  { token, maker }: { readonly token: TokenRights; readonly maker: Caller },
  signal: AbortSignal,
): Promise<LackingRights> {
  const unbounded = await decisions.check(maker, { permission: 'tokens.createAny', resource: ROOT }, signal);
  if (unbounded.allowed) return NONE;
  const grants = await allMatching({ search }, { by: 'subject', subject: token.subject }, signal);
  const holder = { ...token.subject, scope: token.scope };
  const permissions = new Set(grants.flatMap(({ gives }) => (gives.kind === 'permission' ? [gives.permission] : [])));
  const rights: string[] = [];
  let hidden = false;
  for (const place of placesOf(grants, token.scope.within)) {
    const lacking: string[] = await lackingRoles(decisions, { holder, maker, place }, signal);
    for (const permission of permissions) {
      const question = { permission, resource: place };
      const has = await decisions.check(holder, question, signal);
      if (has.attributes.length === 0) continue;
      const { attributes } = await decisions.check(maker, question, signal);
      const isHeld = has.attributes.every((set) => attributes.some((held) => sameAttributes(held, set)));
      if (!isHeld) lacking.push(permission);
    }
    if (lacking.length === 0) continue;
    const seen = await decisions.check(maker, { permission: SEEING[place.kind], resource: place }, signal);
    if (seen.allowed) rights.push(...lacking.map((right) => `${right} on ${pathOf(place)}`));
    else hidden = true;
  }
  return { rights, hidden };
}

/** Roles that another lacking role implies are left out. */
async function lackingRoles(
  decisions: AccessDecisions,
  { holder, maker, place }: { readonly holder: Caller; readonly maker: Caller; readonly place: ResourceRef },
  signal: AbortSignal,
): Promise<Role[]> {
  const question = { permission: SEEING[place.kind], resource: place };
  const [has, own] = [await decisions.check(holder, question, signal), await decisions.check(maker, question, signal)];
  const lacking = has.roles.filter((role) => !own.roles.includes(role));
  return lacking.filter(
    (role) => !lacking.some((other) => other !== role && includesRole(roleAndImplied(other), role)),
  );
}

function placesOf(grants: readonly Grant[], within: string | undefined): Iterable<ResourceRef> {
  const narrowed = within === undefined ? undefined : parseResourcePath(within);
  const granted = grants.map(({ resource: { kind, name } }) => ({ kind, name }));
  const places = narrowed === undefined ? granted : [narrowed, ...granted];
  return new Map(places.map((place) => [pathOf(place), place])).values();
}
