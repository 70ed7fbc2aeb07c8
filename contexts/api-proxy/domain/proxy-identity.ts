import { ApiProxyError } from './api-proxy-error.ts';
import type { Headers } from './header-policy.ts';

/** The roles of the platform that mean something within a cluster, from the least to the most. */
export const PROXY_ROLES = ['viewer', 'deployer', 'admin'] as const;
export type ProxyRole = (typeof PROXY_ROLES)[number];

/** Whom the platform has found somebody to be, as it tells the agent. Without the prefix, which is not the platform's to choose. */
export type ProxyIdentity =
  | {
      readonly kind: 'impersonate';
      /** `user:alice`, `serviceAccount:web/ci` */
      readonly user: string;
      readonly groups: readonly string[];
      readonly role: ProxyRole;
    }
  /** The request carries a token of its own, which the API server knows. */
  | { readonly kind: 'passthrough' };

/** `all`: with the groups of the platform. `roles`: an agent that may not impersonate these has the role alone. */
export type ImpersonatedGroups = 'all' | 'roles';

/** Which callers an agent impersonates as users of their own, such as `user:alice`. All others share one user. */
export type ImpersonatedUsers = 'all' | ReadonlySet<string>;

/** How an agent names callers to its cluster. */
export interface Impersonation {
  readonly users: ImpersonatedUsers;
  readonly groups: ImpersonatedGroups;
}

/** In which the platform tells the agent who asks. */
export const IDENTITY_HEADER = 'fleetshift-identity';

/**
 * DECISION: everything that is impersonated begins with this, put there by the agent: neither a platform nor an issuer that
 * calls somebody `system:masters` makes him one. What these may do is for the cluster's own RBAC to say. (ADR-0034)
 */
const SUBJECT_PREFIX = 'fleetshift:';

/** The user of all callers whom an agent may not impersonate as themselves. It has the rights of its groups alone. (ADR-0043) */
export const SHARED_CALLER = `${SUBJECT_PREFIX}caller`;
/** The extra field that names the person to the cluster's audit log. */
export const USER_EXTRA = 'fleetshift.io/user';
/** A header's name has no slash; API servers decode it. */
const USER_EXTRA_HEADER = `impersonate-extra-${encodeURIComponent(USER_EXTRA)}`.toLowerCase();

const CONTROL = /\p{Cc}/u;

export function identityText(identity: ProxyIdentity): string {
  return encodeURIComponent(JSON.stringify(identity));
}

/** `undefined` for what is no identity: without one nothing is asked of a server. */
export function parseIdentity(text: string): ProxyIdentity | undefined {
  const raw = parsed(text);
  if (typeof raw !== 'object' || raw === null || !('kind' in raw)) return undefined;
  if (raw.kind === 'passthrough') return { kind: 'passthrough' };
  if (raw.kind !== 'impersonate' || !('user' in raw) || !('groups' in raw) || !('role' in raw)) return undefined;
  const { user, groups, role } = raw;
  const known = PROXY_ROLES.find((each) => each === role);
  if (typeof user !== 'string' || user === '' || known === undefined || !isTexts(groups)) return undefined;
  return { kind: 'impersonate', user, groups, role: known };
}

/** What the API server is told. A group that no header can carry is left out, which only ever takes rights away. */
export function impersonationHeaders(
  { user, groups, role }: Extract<ProxyIdentity, { readonly kind: 'impersonate' }>,
  { users, groups: which }: Impersonation,
): Headers {
  if (!fitsHeader(user)) {
    throw new ApiProxyError('CALLER_NOT_NAMEABLE', 'Your name has characters that cannot be told to a cluster.');
  }
  const named = which === 'all' ? groups.filter(fitsHeader).map((group) => `${SUBJECT_PREFIX}group:${group}`) : [];
  const isOwnUser = users === 'all' || users.has(user);
  return {
    'impersonate-user': isOwnUser ? userNamed(user) : SHARED_CALLER,
    'impersonate-group': [roleGroup(role), ...named],
    ...(isOwnUser ? {} : { [USER_EXTRA_HEADER]: userNamed(user) }),
  };
}

/** `fleetshift:user:alice` */
export function userNamed(user: string): string {
  return `${SUBJECT_PREFIX}${user}`;
}

export function roleGroup(role: ProxyRole): string {
  return `${SUBJECT_PREFIX}role:${role}`;
}

/** Spaces at either end are lost on the way, and one name would become another. */
function fitsHeader(text: string): boolean {
  return text !== '' && text.trim() === text && !CONTROL.test(text) && text.isWellFormed();
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(decodeURIComponent(text));
  } catch {
    return undefined;
  }
}

function isTexts(raw: unknown): raw is string[] {
  return Array.isArray(raw) && raw.every((each) => typeof each === 'string');
}
