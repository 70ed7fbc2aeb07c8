import type { ProxyIdentity, ProxyRole } from '#contexts/api-proxy';
import type { Principal } from '#kit/http';

export interface Caller {
  readonly principal: Principal;
  readonly role: ProxyRole;
  /** The caller sent a token for this target alone. */
  readonly hasOwnToken: boolean;
}

/** A token is passed on only if it is useless anywhere else; all other callers are impersonated. */
export function identityOf({ principal, role, hasOwnToken }: Caller): ProxyIdentity {
  if (hasOwnToken) return { kind: 'passthrough' };
  const { kind, id, groups = [] } = principal;
  return { kind: 'impersonate', user: `${kind}:${id}`, groups, role };
}
