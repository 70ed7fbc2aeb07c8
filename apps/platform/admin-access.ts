import type { Authenticator, Authorizer, Principal } from '#kit/http';
import { type Secret, timingSafeEqualText } from '#kit/std';

const ADMIN: Principal = { kind: 'admin', id: 'admin' };

/** Whoever has the admin token is the administrator. */
export function adminTokenAuthenticator(token: Secret<string>): Authenticator {
  return {
    async authenticate({ bearer }) {
      if (bearer === undefined) return undefined;
      return timingSafeEqualText(bearer, token.reveal()) ? ADMIN : undefined;
    },
  };
}

/** The administrator may do everything; there is nobody else yet. */
export const adminAuthorizer: Authorizer = {
  async allow({ principal }) {
    return principal.kind === ADMIN.kind;
  },
};
