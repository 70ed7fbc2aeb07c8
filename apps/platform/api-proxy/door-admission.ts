import type { IncomingMessage } from 'node:http';
import {
  ApiProxyError,
  asksToImpersonate,
  auditedQuery,
  type DoorPath,
  kindOf,
  NotedReads,
  type ProxyRole,
  parseDoorPath,
  RateBook,
  type RequestKind,
  requestFault,
  secretsIn,
} from '#contexts/api-proxy';
import type { AuditEntry, AuditOutcome, AuditSink, Authenticator, Authorizer, Credentials, Principal } from '#kit/http';
import { type Clock, callerNetwork, FleetError } from '#kit/std';

export interface DoorAdmissionDeps {
  readonly authenticator: Authenticator;
  /** Authenticates a token for this target alone. */
  readonly authenticateAt: (target: string, bearer: string, signal: AbortSignal) => Promise<Principal | undefined>;
  readonly authorizer: Authorizer;
  readonly audit: AuditSink;
  readonly clock: Clock;
  /** Per caller. */
  readonly requestsPerMinute: number;
  /** The address of the caller. */
  readonly addressOf: (request: IncomingMessage) => string;
}

/** An authenticated caller with permission for the request. */
export interface Admitted extends DoorPath {
  readonly id: string;
  readonly kind: RequestKind;
  readonly principal: Principal;
  readonly role: ProxyRole;
  /** The bearer token of the request, if any. */
  readonly bearer: string | undefined;
  /** The token is for this target alone, and is passed on to its API server. */
  readonly hasOwnToken: boolean;
  /** The credentials to check again after a revocation. */
  readonly credentials: Credentials;
}

interface Asked {
  readonly id: string;
  readonly request: IncomingMessage;
  readonly isUpgrade: boolean;
  readonly known: () => void;
}

const BEARER = /^Bearer +([\x21-\x7e]+)$/i;
const OPERATION = 'proxyTarget';
/** The same limit as in the REST API. */
const UNKNOWN_PER_MINUTE = 1_200;
const MINUTE_MS = 60_000;
const MAX_RESOURCE_CHARS = 1_000;

const PERMISSION = { read: 'targets.proxyRead', write: 'targets.proxyWrite' } as const satisfies Record<
  RequestKind,
  string
>;
const ADMIN_PERMISSION = 'targets.proxyAdmin';

/** Authenticates and authorizes a request by its head. Every refusal is thrown. */
export class DoorAdmission {
  readonly #deps: DoorAdmissionDeps;
  readonly #known: RateBook;
  readonly #reads = new NotedReads();
  readonly #unknown = new RateBook({ max: UNKNOWN_PER_MINUTE, windowMs: MINUTE_MS });

  constructor(deps: DoorAdmissionDeps) {
    this.#deps = deps;
    this.#known = new RateBook({ max: deps.requestsPerMinute, windowMs: MINUTE_MS });
  }

  async admit(asked: Asked, signal: AbortSignal): Promise<Admitted> {
    const { id, request, isUpgrade } = asked;
    const { method = '', url = '' } = request;
    const door = parseDoorPath(url);
    if (door === undefined) {
      throw new ApiProxyError('NOTHING_THERE', 'Nothing is served here. APIs are at /targets/{target}/api.');
    }
    const kind = kindOf({ method, path: door.path, isUpgrade });
    const credentials = this.#credentialsOf(asked, kind);
    const { bearer } = credentials;
    const { principal, hasOwnToken } = await this.#identify(asked, { door, credentials }, signal);
    await this.#authorize(asked, { door, kind, principal }, signal);
    if (asksToImpersonate(request.rawHeaders)) {
      const message = 'Impersonation is not supported through the platform. Omit --as and --as-group.';
      throw new ApiProxyError('IMPERSONATION_REFUSED', message);
    }
    const { rawHeaders, httpVersion } = request;
    const fault = requestFault({ rawHeaders, httpVersion, path: door.path, isUpgrade });
    if (fault !== undefined) throw new ApiProxyError('REQUEST_MALFORMED', `This request is not forwarded. ${fault}`);
    const role = await this.#roleOf(principal, door.target, signal);
    return { ...door, id, kind, principal, role, bearer, hasOwnToken, credentials };
  }

  /**
   * Records writes and reads of Secrets in the audit log before they are forwarded. One entry covers all reads of an
   * object by a caller within a minute, as controllers poll.
   */
  async note(asked: Asked, admitted: Admitted, signal: AbortSignal): Promise<void> {
    const entry = this.#entry(asked, { ...admitted, outcome: 'done' });
    if (admitted.kind === 'write') return await this.#deps.audit.note(entry, signal);
    const secrets = secretsIn(admitted.path);
    if (secrets === undefined) return;
    const { principal, target } = admitted;
    const key = JSON.stringify([principal.kind, principal.id, principal.shown, target, secrets]);
    if (!this.#reads.take(key, this.#deps.clock.now())) return;
    try {
      await this.#deps.audit.note(entry, signal);
    } catch (error) {
      this.#reads.giveBack(key);
      throw error;
    }
  }

  /** Records that the cluster refused what `note` has recorded: an entry of its own, under the same request id. */
  async noteRefusal(asked: Asked, admitted: Admitted): Promise<void> {
    if (admitted.kind !== 'write' && secretsIn(admitted.path) === undefined) return;
    await this.#deps.audit.refused(this.#entry(asked, { ...admitted, outcome: 'denied' }));
  }

  /**
   * Whether it would still be admitted with the role and groups that the cluster was given. A caller that has gained
   * rights meanwhile continues with the earlier ones.
   */
  async isStillAllowed(admitted: Admitted, now: Principal, signal: AbortSignal): Promise<boolean> {
    const { kind, target, role, principal } = admitted;
    if (!(await this.#may(now, PERMISSION[kind], { target, signal }))) return false;
    const groups = new Set(now.groups);
    if (!(principal.groups ?? []).every((group) => groups.has(group))) return false;
    return isAtLeast(await this.#roleOf(now, target, signal), role);
  }

  #credentialsOf({ request }: Asked, kind: RequestKind): Credentials {
    const { headers } = request;
    const bearer = BEARER.exec(headers.authorization ?? '')?.[1];
    // Browsers send cookies with requests of any page, so a request that changes something in a cluster has to prove
    // that it comes from a page of the platform.
    const method = kind === 'write' ? 'POST' : (request.method ?? '');
    return { bearer, headers, method, address: this.#deps.addressOf(request) };
  }

  async #identify(
    asked: Asked,
    { door, credentials }: { readonly door: DoorPath; readonly credentials: Credentials },
    signal: AbortSignal,
  ): Promise<Pick<Admitted, 'principal' | 'hasOwnToken'>> {
    const { authenticator, clock, audit } = this.#deps;
    const { bearer, address } = credentials;
    const known = await authenticator.authenticate(credentials, signal);
    const principal = known ?? (bearer && (await this.#deps.authenticateAt(door.target, bearer, signal)));
    if (principal) {
      asked.known();
      checkRate(this.#known.count(`${principal.kind}:${principal.id}`, clock.now()));
      return { principal, hasOwnToken: known === undefined };
    }
    checkRate(this.#unknown.count(callerNetwork(address), clock.now()));
    if (bearer !== undefined) {
      await audit.refused(this.#entry(asked, { ...door, principal: undefined, outcome: 'unauthenticated' }));
    }
    const message = bearer
      ? 'The platform does not know these credentials, or they have ended. Log in again: fleetshift login.'
      : 'This needs credentials of the platform. "fleetshift kubeconfig generate" makes a kubeconfig that sends them.';
    throw new ApiProxyError('UNAUTHENTICATED', message);
  }

  async #authorize(
    asked: Asked,
    { door, kind, principal }: { readonly door: DoorPath; readonly kind: RequestKind; readonly principal: Principal },
    signal: AbortSignal,
  ): Promise<void> {
    const permission = PERMISSION[kind];
    const refused = (outcome: AuditOutcome): Promise<void> =>
      this.#deps.audit.refused(this.#entry(asked, { ...door, principal, outcome }));
    try {
      if (await this.#may(principal, permission, { target: door.target, signal })) return;
    } catch (error) {
      if (error instanceof FleetError && error.entry.category === 'not-found') await refused('hidden');
      throw error;
    }
    await refused('denied');
    const message = `You may not do this on the target ${door.target}: it requires the permission ${permission}.`;
    throw new ApiProxyError('PERMISSION_DENIED', message, { details: { permission } });
  }

  async #roleOf(principal: Principal, target: string, signal: AbortSignal): Promise<ProxyRole> {
    if (await this.#may(principal, ADMIN_PERMISSION, { target, signal })) return 'admin';
    return (await this.#may(principal, PERMISSION.write, { target, signal })) ? 'deployer' : 'viewer';
  }

  async #may(
    principal: Principal,
    permission: string,
    { target, signal }: { readonly target: string; readonly signal: AbortSignal },
  ): Promise<boolean> {
    const access = { principal, permission, operationId: OPERATION, params: { target }, reach: 'path' } as const;
    return await this.#deps.authorizer.allow(access, signal);
  }

  #entry(
    { id: requestId, request }: Asked,
    { target, principal, outcome }: Pick<AuditEntry, 'principal' | 'outcome'> & { readonly target: string },
  ): AuditEntry {
    const { method = '', url = '' } = request;
    const path = url.split('?', 1)[0] ?? '';
    return {
      time: this.#deps.clock.now(),
      requestId,
      operationId: OPERATION,
      method,
      path,
      params: { target },
      // Below the target, so that its administrators see what was done through it. The head of a request is bounded, so that
      // a command can be recorded whole: none can be hidden behind other arguments.
      resource: `/v1${path}`.slice(0, MAX_RESOURCE_CHARS) + auditedQuery(parseDoorPath(url)?.path ?? ''),
      principal,
      address: this.#deps.addressOf(request),
      outcome,
    };
  }
}

const ROLES: readonly ProxyRole[] = ['viewer', 'deployer', 'admin'];

function isAtLeast(role: ProxyRole, least: ProxyRole): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(least);
}

function checkRate(lateMs: number | undefined): void {
  if (lateMs === undefined) return;
  const retryAfterSeconds = Math.max(1, Math.ceil(lateMs / 1000));
  const message = `Too many requests. Wait ${retryAfterSeconds} s, then send fewer.`;
  throw new ApiProxyError('TOO_MANY_REQUESTS', message, { details: { retryAfterSeconds } });
}
