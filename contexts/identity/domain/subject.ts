import { IdentityError } from './identity-error.ts';
import type { Issuer } from './issuer.ts';

/** The result of an issuer's claim mapping for one token. */
export interface MappedClaims {
  readonly username: string;
  readonly groups: readonly string[];
  readonly sharedGroups: readonly string[];
}

/** A user under the names that grants use. */
export interface User {
  readonly id: string;
  readonly groups: readonly string[];
}

const MAX_LENGTH = 255;
export const MAX_GROUPS = 500;
const CONTROL = /\p{Cc}/u;
/** The form of an isolated issuer's subjects; no other subject may have it. */
const OF_AN_ISSUER = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?:/;

/**
 * inherited: users and groups are those of the instance, so two inherited issuers that name the same user mean the same
 * one. isolated: the name of the issuer prefixes all subjects, so they never equal those of another. federated: as
 * isolated, except that its shared groups are groups of the instance.
 *
 * A user without a usable name is refused. A group without one is left out, which can only reduce rights.
 */
export function userOf(issuer: Pick<Issuer, 'name' | 'mode'>, claims: MappedClaims): User {
  const { name, mode } = issuer;
  const { username } = claims;
  if (!isUsable(username)) throw refused(name, 'its claims yield no name of 1 to 255 characters');
  if (mode === 'inherited') {
    if (OF_AN_ISSUER.test(username)) throw refused(name, 'its name has the form of a user of another issuer');
    return { id: username, groups: sharedNames(claims.groups) };
  }
  const own = claims.groups.filter(isUsable).map((group) => `${name}:${group}`);
  const shared = mode === 'federated' ? sharedNames(claims.sharedGroups) : [];
  return { id: `${name}:${username}`, groups: distinct([...own, ...shared]) };
}

function sharedNames(groups: readonly string[]): string[] {
  return distinct(groups.filter((group) => isUsable(group) && !OF_AN_ISSUER.test(group)));
}

function distinct(groups: readonly string[]): string[] {
  return [...new Set(groups)].slice(0, MAX_GROUPS);
}

function isUsable(text: string): boolean {
  return text.length > 0 && text.length <= MAX_LENGTH && !CONTROL.test(text) && text.isWellFormed();
}

function refused(issuer: string, why: string): IdentityError {
  return new IdentityError(
    'SUBJECT_REFUSED',
    `The issuer ${issuer} knows this user, but ${why}. Ask an administrator to check its claim mapping.`,
    { details: { issuer } },
  );
}
