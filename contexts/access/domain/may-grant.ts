import { AccessError } from './access-error.ts';
import { type Attributes, type Gift, sameAttributes } from './grant.ts';
import type { Role } from './role.ts';

/** What somebody has on the resource that he wants to grant on, as far as his token goes. */
export interface Standing {
  readonly roles: readonly Role[];
  /** The sets of values with which he has the permission. */
  readonly attributes: readonly Attributes[];
  /** Whether he could define permissions so that he has them. */
  readonly definesPermissions: boolean;
}

/**
 * Throws unless he has what he wants to give away.
 *
 * DECISION: attribute values are had when they are the very same, and nothing is taken for narrower than something else:
 * only the addon knows whether a shorter list allows less or more. Somebody has to give a permission for the first time,
 * and that is whoever may define permissions, since he could say that his role implies it. (ADR-0024)
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
    `Nobody can grant what he does not have, and you do not have ${what} here. Ask somebody who has it.`,
  );
}
