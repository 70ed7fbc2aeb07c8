import { ROLES, type Role, type TokenScope } from './account-token.ts';
import { IdentityError } from './identity-error.ts';

/** What the credentials of whoever makes a token are narrowed to. */
export interface MakerScope {
  readonly within?: string;
  readonly roles?: readonly string[];
}

/**
 * What a narrowed token makes is at least as narrow: nobody gets out of a scope by making himself another token. What was not
 * asked for is taken from the maker's scope; what was asked for beyond it is refused.
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
  const message = 'goes beyond what the token that you use is narrowed to';
  return new IdentityError('SCOPE_EXCEEDED', `${path} ${message}. Ask for less, or use other credentials.`, {
    faults: [{ path, message }],
  });
}
