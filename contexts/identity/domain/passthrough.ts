import { IdentityError } from './identity-error.ts';
import { audiencesOf, type Issuer } from './issuer.ts';

/** Tokens that the API server of one target verifies itself. */
export interface TokenAudience {
  /** The name of the issuer. */
  readonly issuer: string;
  readonly audience: string;
}

/** Configures which tokens are passed unchanged to the API server of a target. */
export interface Passthrough extends TokenAudience {
  readonly target: { readonly uid: string; readonly name: string };
  /** The workspace of the target when this was set: it does not apply in another one. */
  readonly workspace: string;
  readonly createTime: number;
}

/** Whether the platform accepts tokens of this audience for itself, from any issuer. */
export function isOwnAudience(issuers: readonly Issuer[], audience: string): boolean {
  return issuers.some((issuer) => audiencesOf(issuer).includes(audience));
}

/** A cluster that receives a token can replay it wherever else that audience is accepted. */
export function checkPassthrough(
  wanted: Passthrough,
  { issuers, others }: { readonly issuers: readonly Issuer[]; readonly others: readonly Passthrough[] },
): void {
  const { issuer, audience, workspace, target } = wanted;
  if (!issuers.some(({ name }) => name === issuer))
    throw refused('/issuer', `is not an issuer of the platform: ${issuer}`);
  if (isOwnAudience(issuers, audience)) {
    throw refused('/audience', 'is accepted by the platform itself: a cluster could act here as its users');
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
  const message = `The target ${target} has no passthrough.`;
  return new IdentityError('PASSTHROUGH_NOT_FOUND', message, { details: { target } });
}
