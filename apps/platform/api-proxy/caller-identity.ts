import type { ProxyIdentity, ProxyRole } from '#contexts/api-proxy';
import type { Principal } from '#kit/http';

export interface Caller {
  readonly principal: Principal;
  readonly role: ProxyRole;
  /** The caller showed a token that is for this target alone. */
  readonly hasOwnToken: boolean;
}

/** A token goes on only where it is of no use anywhere else; callers that the platform knows by its own are impersonated. */
export function identityOf({ principal, role, hasOwnToken }: Caller): ProxyIdentity {
  if (hasOwnToken) return { kind: 'passthrough' };
  const { kind, id, groups = [] } = principal;
  return { kind: 'impersonate', user: `${kind}:${id}`, groups, role };
}
