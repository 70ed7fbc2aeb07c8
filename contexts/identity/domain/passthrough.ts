import { IdentityError } from './identity-error.ts';
import { audiencesOf, type Issuer } from './issuer.ts';

/** Tokens that the API server of one target takes itself. */
export interface TokenAudience {
  /** By name. */
  readonly issuer: string;
  readonly audience: string;
}

/** Which tokens go to the API server of a target as they are. */
export interface Passthrough extends TokenAudience {
  readonly target: { readonly uid: string; readonly name: string };
  /** Where the target was when this was set: elsewhere it counts no longer. */
  readonly workspace: string;
  readonly createTime: number;
}

/** Whether the platform takes tokens of this audience for its own, by any issuer. */
export function isOwnAudience(issuers: readonly Issuer[], audience: string): boolean {
  return issuers.some((issuer) => audiencesOf(issuer).includes(audience));
}

/** A token that reaches a cluster can be replayed by it, at whatever else takes that audience. */
export function checkPassthrough(
  wanted: Passthrough,
  { issuers, others }: { readonly issuers: readonly Issuer[]; readonly others: readonly Passthrough[] },
): void {
  const { issuer, audience, workspace, target } = wanted;
  if (!issuers.some(({ name }) => name === issuer)) throw refused('/issuer', `is no issuer of the platform: ${issuer}`);
  if (isOwnAudience(issuers, audience)) {
    throw refused('/audience', 'is accepted by the platform itself: a cluster could act here as its visitors');
  }
  const taken = others.some(
    (other) => other.target.uid !== target.uid && other.audience === audience && other.workspace !== workspace,
  );
  if (taken) throw refused('/audience', 'belongs to a target of another workspace');
}

function refused(path: string, message: string): IdentityError {
  return new IdentityError('PASSTHROUGH_REFUSED', `Tokens cannot be passed through: ${path} ${message}.`, {
    faults: [{ path, message }],
  });
}

export function passthroughNotFound(target: string): IdentityError {
  const message = `Nothing is passed through to the target ${target}.`;
  return new IdentityError('PASSTHROUGH_NOT_FOUND', message, { details: { target } });
}
