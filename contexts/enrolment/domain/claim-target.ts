import type { BootstrapToken } from './bootstrap-token.ts';
import { EnrolmentError } from './enrolment-error.ts';

export interface ClaimedTarget {
  readonly name: string;
  readonly type: string;
}

/** The existing target of that name, if any. */
export interface KnownTarget extends ClaimedTarget {
  readonly workspace: string;
  /** Whether it is bound to a fleetlet that could still connect. */
  readonly isServed: boolean;
}

export type Claim = { readonly kind: 'create' } | { readonly kind: 'bind' };

/**
 * DECISION: an existing target is bound when it is in the token's workspace and of the claimed type, and either no
 * fleetlet that could still connect serves it, or the token names it. So a rebuilt machine takes over its target, a
 * second fleetlet for one is a deliberate act, and a leaked token cannot take a target away.
 */
export function claimTarget(token: BootstrapToken, claimed: ClaimedTarget, known: KnownTarget | undefined): Claim {
  checkAllowed(token, claimed);
  if (known === undefined) return { kind: 'create' };
  // The same message for both, so that it reveals nothing about other workspaces.
  if (known.workspace !== token.workspace.name) throw taken(claimed, 'is taken; choose another name');
  if (known.type !== claimed.type) throw taken(claimed, `already exists, with type ${known.type}`);
  const isNamed = token.targets.some((name) => name === claimed.name);
  if (known.isServed && !isNamed) {
    throw taken(claimed, 'is served by another fleetlet; revoke that one, or create a token that names the target');
  }
  return { kind: 'bind' };
}

/** The token may be limited to some targets, or to one type. */
function checkAllowed(token: BootstrapToken, claimed: ClaimedTarget): void {
  const { targets, targetType } = token;
  if (targets.length > 0 && !targets.some((name) => name === claimed.name)) {
    throw notAllowed(
      `Bootstrap token ${token.name} is not valid for the target ${claimed.name}. It is valid for ${targets.join(', ')}.`,
    );
  }
  if (targetType !== undefined && targetType !== claimed.type) {
    throw notAllowed(`Bootstrap token ${token.name} is valid for targets of type ${targetType}, not ${claimed.type}.`);
  }
}

function notAllowed(message: string): EnrolmentError {
  return new EnrolmentError('TARGET_NOT_ALLOWED', message);
}

function taken({ name }: ClaimedTarget, why: string): EnrolmentError {
  return new EnrolmentError('TARGET_CLAIMED', `The target ${name} ${why}.`, { details: { target: name } });
}
