import { ApiProxyError } from './api-proxy-error.ts';
import type { Headers } from './header-policy.ts';

/** The roles of the platform that apply within a cluster, from the least to the most. */
export const PROXY_ROLES = ['viewer', 'deployer', 'admin'] as const;
export type ProxyRole = (typeof PROXY_ROLES)[number];

/** The caller's identity, as the platform reports it to the agent. Without the prefix, which the agent adds. */
export type ProxyIdentity =
  | {
      readonly kind: 'impersonate';
      /** `user:alice`, `serviceAccount:web/ci` */
      readonly user: string;
      readonly groups: readonly string[];
      readonly role: ProxyRole;
    }
  /** The request carries its own token, which the API server accepts. */
  | { readonly kind: 'passthrough' };

/**
 * `all`: includes the groups of the platform. `roles`: only the role, for an agent that may not impersonate other
 * groups.
 */
export type ImpersonatedGroups = 'all' | 'roles';

/** Which callers an agent impersonates as separate users, such as `user:alice`. All others share one user. */
export type ImpersonatedUsers = 'all' | ReadonlySet<string>;

/** How an agent names callers to its cluster. */
export interface Impersonation {
  readonly users: ImpersonatedUsers;
  readonly groups: ImpersonatedGroups;
}

/** Carries the caller's identity from the platform to the agent. */
export const IDENTITY_HEADER = 'fleetshift-identity';

/**
 * DECISION: the agent prepends this to every impersonated name, so that no platform and no issuer can make a caller a
 * `system:masters`. The cluster's own RBAC decides what these subjects may do. (ADR-0034)
 */
const SUBJECT_PREFIX = 'fleetshift:';

/**
 * The user for all callers that the agent may not impersonate by name. It has the rights of its groups alone.
 * (ADR-0043)
 */
export const SHARED_CALLER = `${SUBJECT_PREFIX}caller`;
/** The extra field that names the caller in the cluster's audit log. */
export const USER_EXTRA = 'fleetshift.io/user';
/** A header name cannot contain a slash; API servers decode it. */
const USER_EXTRA_HEADER = `impersonate-extra-${encodeURIComponent(USER_EXTRA)}`.toLowerCase();

const CONTROL = /\p{Cc}/u;

export function identityText(identity: ProxyIdentity): string {
  return encodeURIComponent(JSON.stringify(identity));
}

/** `undefined` for an invalid identity: no request is sent without one. */
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

/** The headers for the API server. A group that no header can carry is left out, which can only reduce rights. */
export function impersonationHeaders(
  { user, groups, role }: Extract<ProxyIdentity, { readonly kind: 'impersonate' }>,
  { users, groups: which }: Impersonation,
): Headers {
  if (!fitsHeader(user)) {
    throw new ApiProxyError('CALLER_NOT_NAMEABLE', 'Your name has characters that cannot be passed on to a cluster.');
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

/** Leading and trailing spaces are lost in a header, so one name would become another. */
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
