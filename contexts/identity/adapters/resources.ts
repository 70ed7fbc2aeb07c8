import { etagOf } from '#kit/http';
import { formatDuration } from '#kit/std';
import type {
  IssuerResource,
  ServiceAccountResource,
  ServiceAccountTokenResource,
  SessionResource,
} from '#protocol/api';
import { type AccountToken, isLive } from '../domain/account-token.ts';
import { audiencesOf, type Issuer } from '../domain/issuer.ts';
import type { ServiceAccount } from '../domain/service-account.ts';
import type { Session } from '../domain/session.ts';

/** An issuer as the API shows it. Tells whether there is a client secret, and never reveals it. */
export function issuerResource(issuer: Issuer): IssuerResource {
  const { name, uid, url, displayName, clientId, cliClientId, mode, claims, scopes, ca, source, generation } = issuer;
  const { username, groups, sharedGroups } = claims;
  return {
    name,
    uid,
    url,
    ...(displayName === undefined ? {} : { displayName }),
    clientId,
    ...(cliClientId === undefined ? {} : { cliClientId }),
    hasClientSecret: issuer.clientSecret !== undefined,
    audiences: [...audiencesOf(issuer)],
    mode,
    claims: { username, groups, ...(sharedGroups === undefined ? {} : { sharedGroups }) },
    scopes: [...scopes],
    clockSkew: formatDuration(issuer.clockSkewMs),
    ...(ca === undefined ? {} : { ca }),
    source,
    createTime: time(issuer.createTime),
    updateTime: time(issuer.updateTime),
    generation,
    observedGeneration: generation,
    etag: etagOf(issuer),
  };
}

export function accountResource(account: ServiceAccount): ServiceAccountResource {
  const { name, uid, workspace, displayName, labels, disabled, generation } = account;
  return {
    name,
    uid,
    workspace,
    ...(displayName === undefined ? {} : { displayName }),
    labels,
    disabled,
    createTime: time(account.createTime),
    updateTime: time(account.updateTime),
    generation,
    observedGeneration: generation,
    etag: etagOf(account),
  };
}

export function tokenResource(token: AccountToken, now: number): ServiceAccountTokenResource {
  const { id, displayName, scope, lastUsedTime, rotatedTo } = token;
  const { within, roles } = scope;
  return {
    name: id,
    ...(displayName === undefined ? {} : { displayName }),
    scope: { ...(within === undefined ? {} : { within }), ...(roles === undefined ? {} : { roles: [...roles] }) },
    status: isLive(token, now) ? 'active' : 'expired',
    createTime: time(token.createTime),
    expireTime: time(token.expireTime),
    ...(lastUsedTime === undefined ? {} : { lastUsedTime: time(lastUsedTime) }),
    ...(rotatedTo === undefined ? {} : { rotatedTo }),
  };
}

/** `asking`: the hash of the session that the caller uses, if any. */
export function sessionResource(session: Session, asking: string | undefined): SessionResource {
  const { uid, kind, issuer, address, userAgent } = session;
  return {
    uid,
    kind,
    ...(issuer === undefined ? {} : { issuer }),
    createTime: time(session.createTime),
    lastUsedTime: time(session.lastUsedTime),
    expireTime: time(session.expireTime),
    address,
    ...(userAgent === undefined ? {} : { userAgent }),
    current: session.hash === asking,
  };
}

function time(ms: number): string {
  return new Date(ms).toISOString();
}
