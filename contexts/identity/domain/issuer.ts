import { type FieldFault, parseDuration, type ResourceName, type Secret, StdError, type Uuid } from '#kit/std';

export const MODES = ['inherited', 'isolated', 'federated'] as const;
export type IssuerMode = (typeof MODES)[number];

/** CEL expressions over `claims`. */
export interface ClaimMapping {
  readonly username: string;
  readonly groups: string;
  /** Federated issuers only. */
  readonly sharedGroups: string | undefined;
}

/** Sealed in the database, or given by the configuration at every start. */
export type ClientSecret =
  | { readonly kind: 'sealed'; readonly text: string }
  | { readonly kind: 'given'; readonly secret: Secret<string> };

/** An OpenID provider that is trusted to authenticate users. Immutable: every change creates the next version. */
export interface Issuer {
  readonly name: ResourceName;
  readonly uid: Uuid;
  readonly url: string;
  readonly displayName: string | undefined;
  readonly clientId: string;
  /** The public client for the CLI, where the main client has a secret. */
  readonly cliClientId: string | undefined;
  /** For a confidential client. */
  readonly clientSecret: ClientSecret | undefined;
  /** Empty: the ids of its clients. */
  readonly audiences: readonly string[];
  readonly mode: IssuerMode;
  readonly claims: ClaimMapping;
  readonly scopes: readonly string[];
  readonly clockSkewMs: number;
  readonly ca: string | undefined;
  readonly source: 'api' | 'configuration';
  readonly generation: number;
  readonly version: number;
  readonly createTime: number;
  readonly updateTime: number;
}

export const DEFAULT_CLAIMS: ClaimMapping = {
  // Not a human-readable name: only `sub` is unique and never reassigned to another user.
  username: 'claims.sub',
  groups: 'has(claims.groups) ? claims.groups : []',
  sharedGroups: undefined,
};
export const DEFAULT_SCOPES: readonly string[] = ['openid', 'profile', 'email'];
const DEFAULT_CLOCK_SKEW_MS = 30_000;
const MAX_CLOCK_SKEW_MS = 300_000;
/** `/v1/login/callback` is the redirect URI of logins. */
const RESERVED_NAMES: ReadonlySet<string> = new Set(['callback']);

export function audiencesOf({ audiences, clientId, cliClientId }: Issuer): readonly string[] {
  if (audiences.length > 0) return audiences;
  return cliClientId === undefined ? [clientId] : [clientId, cliClientId];
}

/** Ignores a trailing slash. */
export function isSameUrl(a: string, b: string): boolean {
  return a === b || (URL.canParse(a) && URL.parse(a)?.href === URL.parse(b)?.href);
}

/** The faults of an issuer, whether it comes from a request, a file or the database. */
export function issuerFaults(issuer: Issuer): FieldFault[] {
  const faults: FieldFault[] = [];
  if (RESERVED_NAMES.has(issuer.name)) faults.push({ path: '/name', message: 'is reserved for the login itself' });
  const url = urlFault(issuer.url);
  if (url !== undefined) faults.push({ path: '/url', message: url });
  if (!issuer.scopes.includes('openid')) faults.push({ path: '/scopes', message: 'must include openid' });
  if (issuer.clockSkewMs > MAX_CLOCK_SKEW_MS) faults.push({ path: '/clockSkew', message: 'must be at most 5m' });
  if (issuer.claims.sharedGroups !== undefined && issuer.mode !== 'federated') {
    faults.push({ path: '/claims/sharedGroups', message: 'is for issuers with mode federated only' });
  }
  if (issuer.ca !== undefined && !issuer.ca.includes('-----BEGIN CERTIFICATE-----')) {
    faults.push({ path: '/ca', message: 'must be certificates in PEM' });
  }
  return faults;
}

/** Adds to `faults` instead of throwing, so that all faults are reported at once. */
export function readClockSkew(raw: string | undefined, faults: FieldFault[]): number {
  try {
    return raw === undefined ? DEFAULT_CLOCK_SKEW_MS : parseDuration(raw);
  } catch (error) {
    if (!(error instanceof StdError)) throw error;
    faults.push({ path: '/clockSkew', message: 'must be a duration such as 30s' });
    return DEFAULT_CLOCK_SKEW_MS;
  }
}

/** Over plain HTTP an attacker on the network could substitute keys, so it is allowed on this machine only. */
function urlFault(raw: string): string | undefined {
  const url = URL.parse(raw);
  if (url === null) return 'must be an address such as https://login.example.com';
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    return 'must not have a user, query or fragment';
  }
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isThisMachine(url.hostname))) return undefined;
  return 'must be https; http is for an issuer on this machine only';
}

export function isThisMachine(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}
