import { ROLES, type Role, type TokenScope } from './account-token.ts';
import { IdentityError } from './identity-error.ts';

/** The limits of the credentials with which a token is created. */
export interface MakerScope {
  readonly within?: string;
  readonly roles?: readonly string[];
}

/**
 * A narrowed token can only create tokens at least as narrow, so that no caller escapes its scope by creating another
 * token. Limits that the request omits are taken from the caller's scope; a request beyond that scope is refused.
 */
export function narrowScope(asked: TokenScope, maker: MakerScope | undefined): TokenScope {
  const within = maker?.within ?? asked.within;
  if (asked.within !== undefined && asked.within !== within) throw exceeded('/scope/within');
  const bounds = maker?.roles === undefined ? undefined : ROLES.filter((role) => maker.roles?.includes(role));
  const roles: readonly Role[] | undefined = asked.roles ?? bounds;
  if (bounds !== undefined && roles?.some((role) => !bounds.includes(role))) throw exceeded('/scope/roles');
  return { ...(within === undefined ? {} : { within }), ...(roles === undefined ? {} : { roles }) };
}

function exceeded(path: string): IdentityError {
  const message = 'exceeds the scope of the token that you use';
  return new IdentityError('SCOPE_EXCEEDED', `${path} ${message}. Request less, or use other credentials.`, {
    faults: [{ path, message }],
  });
}
