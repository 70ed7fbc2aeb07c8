import { type FieldFault, parseDuration, type ResourceName, type Secret, StdError, type Uuid } from '#kit/std';

export const MODES = ['inherited', 'isolated', 'federated'] as const;
export type IssuerMode = (typeof MODES)[number];

/** CEL expressions over `claims`. */
export interface ClaimMapping {
  readonly username: string;
  readonly groups: string;
  /** Only a federated issuer has it. */
  readonly sharedGroups: string | undefined;
}

/** Kept sealed in the database; given anew at every start by the configuration. */
export type ClientSecret =
  | { readonly kind: 'sealed'; readonly text: string }
  | { readonly kind: 'given'; readonly secret: Secret<string> };

/** Somebody whose word we take for who a user is. A value: every change makes the next one. */
export interface Issuer {
  readonly name: ResourceName;
  readonly uid: Uuid;
  readonly url: string;
  readonly displayName: string | undefined;
  readonly clientId: string;
  /** The public client of the CLI, where the other one has a secret. */
  readonly cliClientId: string | undefined;
  /** Of a confidential client. */
  readonly clientSecret: ClientSecret | undefined;
  /** Empty: its clients. */
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
  // Not a name that people know each other by: `sub` is the only claim that is unique and never given to somebody else.
  username: 'claims.sub',
  groups: 'has(claims.groups) ? claims.groups : []',
  sharedGroups: undefined,
};
export const DEFAULT_SCOPES: readonly string[] = ['openid', 'profile', 'email'];
const DEFAULT_CLOCK_SKEW_MS = 30_000;
const MAX_CLOCK_SKEW_MS = 300_000;
/** `/v1/login/callback` is where logins come back to. */
const RESERVED_NAMES: ReadonlySet<string> = new Set(['callback']);

export function audiencesOf({ audiences, clientId, cliClientId }: Issuer): readonly string[] {
  if (audiences.length > 0) return audiences;
  return cliClientId === undefined ? [clientId] : [clientId, cliClientId];
}

/** With or without a slash at the end it is the same one. */
export function isSameUrl(a: string, b: string): boolean {
  return a === b || (URL.canParse(a) && URL.parse(a)?.href === URL.parse(b)?.href);
}

/** What is wrong with an issuer, wherever it comes from: a person, a file or a database. */
export function issuerFaults(issuer: Issuer): FieldFault[] {
  const faults: FieldFault[] = [];
  if (RESERVED_NAMES.has(issuer.name)) faults.push({ path: '/name', message: 'is taken by the login itself' });
  const url = urlFault(issuer.url);
  if (url !== undefined) faults.push({ path: '/url', message: url });
  if (!issuer.scopes.includes('openid')) faults.push({ path: '/scopes', message: 'must have openid' });
  if (issuer.clockSkewMs > MAX_CLOCK_SKEW_MS) faults.push({ path: '/clockSkew', message: 'must be at most 5m' });
  if (issuer.claims.sharedGroups !== undefined && issuer.mode !== 'federated') {
    faults.push({ path: '/claims/sharedGroups', message: 'is for issuers with mode federated only' });
  }
  if (issuer.ca !== undefined && !issuer.ca.includes('-----BEGIN CERTIFICATE-----')) {
    faults.push({ path: '/ca', message: 'must be certificates in PEM' });
  }
  return faults;
}

/** Pushes what is wrong instead of throwing it, so that all faults are told at once. */
export function readClockSkew(raw: string | undefined, faults: FieldFault[]): number {
  try {
    return raw === undefined ? DEFAULT_CLOCK_SKEW_MS : parseDuration(raw);
  } catch (error) {
    if (!(error instanceof StdError)) throw error;
    faults.push({ path: '/clockSkew', message: 'must be a duration such as 30s' });
    return DEFAULT_CLOCK_SKEW_MS;
  }
}

/** Whoever reads on the way could put in keys of his own: plain HTTP stays on this machine. */
function urlFault(raw: string): string | undefined {
  const url = URL.parse(raw);
  if (url === null) return 'must be an address such as https://login.example.com';
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    return 'must be an address alone, without user, query or fragment';
  }
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isThisMachine(url.hostname))) return undefined;
  return 'must be https; http is for an issuer on this machine only';
}

export function isThisMachine(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}
