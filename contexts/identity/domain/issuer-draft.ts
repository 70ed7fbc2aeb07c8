import { type FieldFault, parseResourceName, type Uuid } from '#kit/std';
import { invalid } from './identity-error.ts';
import {
  type ClaimMapping,
  type ClientSecret,
  DEFAULT_CLAIMS,
  DEFAULT_SCOPES,
  type Issuer,
  type IssuerMode,
  issuerFaults,
  readClockSkew,
} from './issuer.ts';

/** An issuer as the request or the configuration has it, not yet checked. */
export interface RawIssuer {
  readonly name: string;
  readonly url: string;
  readonly displayName?: string;
  readonly clientId: string;
  readonly cliClientId?: string;
  readonly audiences?: readonly string[];
  readonly mode: IssuerMode;
  readonly claims?: RawClaims;
  readonly scopes?: readonly string[];
  readonly clockSkew?: string;
  readonly ca?: string;
}

interface RawClaims {
  readonly username?: string;
  readonly groups?: string;
  readonly sharedGroups?: string;
}

/** A JSON merge patch (RFC 7396): absent fields stay unchanged, `null` removes. `claims` is replaced as a whole. */
export interface IssuerPatch {
  readonly displayName?: string | null;
  readonly clientId?: string;
  readonly cliClientId?: string | null;
  readonly audiences?: readonly string[] | null;
  readonly claims?: RawClaims;
  readonly scopes?: readonly string[] | null;
  readonly clockSkew?: string;
  readonly ca?: string | null;
}

/** The parts of an issuer that do not come from the draft. */
export interface IssuerFounding {
  readonly uid: Uuid;
  readonly now: number;
  readonly source: Issuer['source'];
  readonly clientSecret: ClientSecret | undefined;
}

export function newIssuer(raw: RawIssuer, { uid, now, source, clientSecret }: IssuerFounding): Issuer {
  const faults: FieldFault[] = [];
  const issuer: Issuer = {
    name: parseResourceName(raw.name),
    uid,
    url: raw.url,
    displayName: raw.displayName,
    clientId: raw.clientId,
    cliClientId: raw.cliClientId,
    clientSecret,
    audiences: raw.audiences ?? [],
    mode: raw.mode,
    claims: readClaims(raw.claims),
    scopes: raw.scopes ?? DEFAULT_SCOPES,
    clockSkewMs: readClockSkew(raw.clockSkew, faults),
    ca: raw.ca,
    source,
    generation: 1,
    version: 1,
    createTime: now,
    updateTime: now,
  };
  return checked(issuer, faults);
}

/**
 * Always returns a new version, even if nothing differs: a client secret is sealed differently each time, so equality
 * cannot be detected.
 *
 * DECISION: url and mode never change. Grants name the subjects that they yield; another issuer under an old name would
 * inherit the grants of users it never knew.
 */
export function patchIssuer(issuer: Issuer, patch: IssuerPatch, { now, clientSecret }: IssuerChange): Issuer {
  const faults: FieldFault[] = [];
  const next: Issuer = {
    ...issuer,
    displayName: patch.displayName === undefined ? issuer.displayName : (patch.displayName ?? undefined),
    clientId: patch.clientId ?? issuer.clientId,
    cliClientId: patch.cliClientId === undefined ? issuer.cliClientId : (patch.cliClientId ?? undefined),
    clientSecret,
    audiences: patch.audiences === undefined ? issuer.audiences : (patch.audiences ?? []),
    claims: patch.claims === undefined ? issuer.claims : readClaims(patch.claims),
    scopes: patch.scopes === undefined ? issuer.scopes : (patch.scopes ?? DEFAULT_SCOPES),
    clockSkewMs: patch.clockSkew === undefined ? issuer.clockSkewMs : readClockSkew(patch.clockSkew, faults),
    ca: patch.ca === undefined ? issuer.ca : (patch.ca ?? undefined),
    generation: issuer.generation + 1,
    version: issuer.version + 1,
    updateTime: Math.max(now, issuer.updateTime),
  };
  return checked(next, faults);
}

interface IssuerChange {
  readonly now: number;
  readonly clientSecret: ClientSecret | undefined;
}

function readClaims(raw: RawClaims = {}): ClaimMapping {
  const { username = DEFAULT_CLAIMS.username, groups = DEFAULT_CLAIMS.groups, sharedGroups } = raw;
  return { username, groups, sharedGroups };
}

function checked(issuer: Issuer, found: readonly FieldFault[]): Issuer {
  const faults = [...found, ...issuerFaults(issuer)];
  if (faults.length > 0) throw invalid('INVALID_ISSUER', faults);
  return issuer;
}
