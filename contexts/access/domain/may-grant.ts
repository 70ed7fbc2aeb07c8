import { AccessError } from './access-error.ts';
import { type Attributes, type Gift, sameAttributes } from './grant.ts';
import type { Role } from './role.ts';

/** The rights of the caller on the resource that it wants to grant on, within the limits of its token. */
export interface Standing {
  readonly roles: readonly Role[];
  /** The sets of values with which the caller has the permission. */
  readonly attributes: readonly Attributes[];
  /** Whether the caller could define permissions that its own role implies. */
  readonly definesPermissions: boolean;
}

/**
 * Throws unless the caller has the right that it wants to grant.
 *
 * DECISION: the caller has attribute values only if they are equal; none count as narrower than others, since only the
 * addon knows whether a shorter list allows less or more. The first grant of a permission can be made by a caller that
 * may define permissions, as that caller could also define that its own role implies it. (ADR-0024)
 */
export function checkMayGrant(gives: Gift, { roles, attributes, definesPermissions }: Standing): void {
  if (gives.kind === 'role') {
    if (!roles.includes(gives.role)) throw cannotGrant(`the role ${gives.role}`);
    return;
  }
  if (definesPermissions || attributes.some((held) => sameAttributes(held, gives.attributes))) return;
  throw cannotGrant(`the permission ${gives.permission} with these attributes`);
}

function cannotGrant(what: string): AccessError {
  return new AccessError(
    'CANNOT_GRANT',
    `You can only grant what you have yourself, and you do not have ${what} here. Ask a holder to grant it.`,
  );
}
