import type { BootstrapToken } from './bootstrap-token.ts';
import { EnrolmentError } from './enrolment-error.ts';

export interface ClaimedTarget {
  readonly name: string;
  readonly type: string;
}

/** What is known of a target of that name, if there is one. */
export interface KnownTarget extends ClaimedTarget {
  readonly workspace: string;
  /** A fleetlet that could still connect speaks for it. */
  readonly isServed: boolean;
}

export type Claim = { readonly kind: 'create' } | { readonly kind: 'bind' };

/**
 * DECISION: a target that is there already is bound when it is in the token's workspace, of the type, and either nobody
 * who could still connect speaks for it, or whoever made the token has named it. So a rebuilt machine takes its target
 * over, a second way to one is opened on purpose, and a token that lies around takes nothing away from anybody.
 */
export function claimTarget(token: BootstrapToken, claimed: ClaimedTarget, known: KnownTarget | undefined): Claim {
  checkAllowed(token, claimed);
  if (known === undefined) return { kind: 'create' };
  // The same sentence for both: what is in other workspaces is nobody's business here.
  if (known.workspace !== token.workspace.name) throw taken(claimed, 'is taken; choose another name');
  if (known.type !== claimed.type) throw taken(claimed, `is there already, of the type ${known.type}`);
  const isNamed = token.targets.some((name) => name === claimed.name);
  if (known.isServed && !isNamed) {
    throw taken(claimed, 'is spoken for by another fleetlet; revoke that one, or make a token that names the target');
  }
  return { kind: 'bind' };
}

/** The token may be for some targets only, or for one type. */
function checkAllowed(token: BootstrapToken, claimed: ClaimedTarget): void {
  const { targets, targetType } = token;
  if (targets.length > 0 && !targets.some((name) => name === claimed.name)) {
    throw notAllowed(
      `Bootstrap token ${token.name} is not for the target ${claimed.name}. It is for ${targets.join(', ')}.`,
    );
  }
  if (targetType !== undefined && targetType !== claimed.type) {
    throw notAllowed(
      `Bootstrap token ${token.name} is for targets of the type ${targetType}, and not ${claimed.type}.`,
    );
  }
}

function notAllowed(message: string): EnrolmentError {
  return new EnrolmentError('TARGET_NOT_ALLOWED', message);
}

function taken({ name }: ClaimedTarget, why: string): EnrolmentError {
  return new EnrolmentError('TARGET_CLAIMED', `The target ${name} ${why}.`, { details: { target: name } });
}
