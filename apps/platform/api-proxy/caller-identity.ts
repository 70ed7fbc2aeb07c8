import type { ProxyIdentity, ProxyRole } from '#contexts/api-proxy';
import type { Principal } from '#kit/http';

/** How a target wants to know who asks; a property that people set, never its agent. */
type ApiAuthentication = 'impersonate' | 'passthrough';

export interface Caller {
  readonly principal: Principal;
  readonly role: ProxyRole;
  readonly bearer: string | undefined;
}

/** The platform's own: of service accounts, and of sessions. */
const OURS = /^fs[a-z]_/;
const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** What is not one of the words is taken for the one that shows the cluster no token. */
export function parseApiAuthentication(raw: unknown): ApiAuthentication {
  return raw === 'passthrough' ? 'passthrough' : 'impersonate';
}

/**
 * A token goes on only where a person showed one of an issuer: to show a cluster one of our own would be to hand it over.
 * Whoever has none is impersonated there as well.
 */
export function identityOf({ principal, role, bearer }: Caller, wanted: ApiAuthentication): ProxyIdentity {
  if (wanted === 'passthrough' && principal.kind === 'user' && isOfAnIssuer(bearer)) return { kind: 'passthrough' };
  const { kind, id, groups = [] } = principal;
  return { kind: 'impersonate', user: `${kind}:${id}`, groups, role };
}

function isOfAnIssuer(bearer: string | undefined): boolean {
  return bearer !== undefined && !OURS.test(bearer) && JWT.test(bearer);
}
