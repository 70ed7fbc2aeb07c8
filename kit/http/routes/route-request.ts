import type { IncomingHttpHeaders } from 'node:http';
import { contentHash, FleetError } from '#kit/std';
import type { Transaction } from '#kit/storage';
import { clientRequestIdOf } from '../client-request-id.ts';
import { HttpError } from '../errors/http-error.ts';
import { IfMatch } from '../etag.ts';
import type { AuditEntry, AuditOutcome, AuditSink, Principal } from '../ports.ts';
import type { Answer } from './answer.ts';

export interface RequestFacts<Params, Query, Body, Who> {
  readonly id: string;
  readonly operationId: string;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly principal: Who;
  /** Aborts when the client disconnects, the time limit is reached, or the server shuts down. */
  readonly signal: AbortSignal;
  /** When the request arrived, in milliseconds since the epoch, by the server's clock. */
  readonly time: number;
  readonly path: string;
  readonly method: string;
  readonly address: string;
  readonly headers: IncomingHttpHeaders;
  readonly dryRun: boolean;
  readonly idempotency: 'replay' | 'secret' | undefined;
  /** Asks the authorizer; for checks that depend on the body, which the route's own permission cannot cover. */
  readonly allows: (permission: string, params: Readonly<Record<string, string>>) => Promise<boolean>;
  /** Asks the authenticator again: for responses that outlive the first check. */
  readonly isStillKnown: (signal: AbortSignal) => Promise<boolean>;
  /** `undefined` if there is no audit log. */
  readonly audit: AuditSink | undefined;
}

/** A precondition or option of the caller that the handler must have read before it answers. */
type Wish = 'If-Match' | 'Idempotency-Key' | 'dryRun';

const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

/** A request as a handler sees it: authenticated, authorized and validated. */
export class RouteRequest<Params, Query, Body, Who> {
  readonly id: string;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly principal: Who;
  readonly signal: AbortSignal;
  readonly time: number;
  readonly #facts: RequestFacts<Params, Query, Body, Who>;
  readonly #ifMatch: IfMatch;
  readonly #idempotencyKey: string | undefined;
  readonly #pending = new Set<Wish>();
  #auditedAs: string | undefined;
  #before: string | undefined;
  #isAudited = false;
  #isRefused = false;

  constructor(facts: RequestFacts<Params, Query, Body, Who>) {
    this.#facts = facts;
    ({
      id: this.id,
      params: this.params,
      query: this.query,
      body: this.body,
      principal: this.principal,
      signal: this.signal,
      time: this.time,
    } = facts);
    const { 'if-match': ifMatch, 'idempotency-key': key } = facts.headers;
    this.#ifMatch = IfMatch.parse(ifMatch);
    this.#idempotencyKey = parseIdempotencyKey(key);
    if (ifMatch !== undefined) this.#pending.add('If-Match');
    if (key !== undefined) this.#pending.add('Idempotency-Key');
    if (facts.dryRun) this.#pending.add('dryRun');
  }

  get ifMatch(): IfMatch {
    this.#pending.delete('If-Match');
    return this.#ifMatch;
  }

  /** Whether the caller wants a preview without changes. `mutate` handles it. */
  get dryRun(): boolean {
    this.#pending.delete('dryRun');
    return this.#facts.dryRun;
  }

  /** Set on routes with `idempotency` only. `mutate` handles it. */
  get idempotencyKey(): string | undefined {
    this.#pending.delete('Idempotency-Key');
    return this.#idempotencyKey;
  }

  get idempotency(): 'replay' | 'secret' | undefined {
    return this.#facts.idempotency;
  }

  get operationId(): string {
    return this.#facts.operationId;
  }

  get path(): string {
    return this.#facts.path;
  }

  get method(): string {
    return this.#facts.method;
  }

  /** The client address, resolved through the trusted proxies. */
  get address(): string {
    return this.#facts.address;
  }

  get headers(): IncomingHttpHeaders {
    return this.#facts.headers;
  }

  /** Whether the same credentials would still be accepted, for the same principal. */
  async isStillKnown(signal: AbortSignal): Promise<boolean> {
    return await this.#facts.isStillKnown(signal);
  }

  /** Throws `PERMISSION_DENIED` unless the principal also has this permission. */
  async authorize(permission: string, params: Readonly<Record<string, string>>): Promise<void> {
    try {
      if (await this.#facts.allows(permission, params)) return;
    } catch (error) {
      if (isNotFound(error)) await this.#refused('hidden');
      throw error;
    }
    await this.#refused('denied');
    throw permissionDenied(permission);
  }

  /** Records that the request was refused by what its handler found. A request is recorded as refused once. */
  async recordRefusal(): Promise<void> {
    await this.#refused('denied');
  }

  /**
   * The same for a workspace that a resource leaves. The caller can read the workspace's name in the resource, so it is
   * not hidden even if the caller may not read it: the error names the missing permission.
   */
  async authorizeLeaving(permission: string, workspace: string): Promise<void> {
    const isAllowed = await this.#facts.allows(permission, { workspace }).catch((error: unknown) => {
      if (isNotFound(error)) return false;
      throw error;
    });
    if (isAllowed) return;
    await this.#refused('denied');
    throw permissionDenied(permission, `on the workspace ${workspace}, which it leaves`);
  }

  async #refused(outcome: AuditOutcome): Promise<void> {
    if (this.#isRefused) return;
    this.#isRefused = true;
    await this.#facts.audit?.refused({ ...this.#entry(undefined), outcome });
  }

  /** Records the request under another operation, for a variant that should be searchable by itself. */
  auditAs(operationId: string): void {
    this.#auditedAs = operationId;
  }

  /** Provides the state before the change, as the API shows it. Only its hash is kept. */
  changes(before: object): void {
    this.#before = contentHash(before);
  }

  /** Called by `mutate` when the body has returned and before the transaction ends. */
  async recordChange(tx: Transaction, answer: Answer): Promise<void> {
    this.#isAudited = true;
    await this.#facts.audit?.append(tx, this.#entry(answer));
  }

  /** For a change outside the database: recorded before it is attempted, so that none is missed. */
  async recordAttempt(): Promise<void> {
    this.#isAudited = true;
    await this.#facts.audit?.note(this.#entry(undefined), this.signal);
  }

  /** For a request that turns out to change nothing, such as a repeated one. */
  recordNothing(): void {
    this.#isAudited = true;
  }

  /** A change that was not recorded would be missing from the audit log. */
  get isAudited(): boolean {
    return this.#isAudited;
  }

  #entry(answer: Answer | undefined): AuditEntry {
    const { id, method, path, params, address, time } = this.#facts;
    const operationId = this.#auditedAs ?? this.#facts.operationId;
    const body = answer?.body ?? undefined;
    return {
      requestId: id,
      ...clientRequestIdOf(this.#facts.headers),
      operationId,
      method,
      path,
      address,
      time,
      params: { ...(params as Readonly<Record<string, string>>) },
      principal: this.principal as Principal | undefined,
      resource: answer?.headers?.['location'] ?? path,
      outcome: 'done',
      ...(this.#before === undefined ? {} : { before: this.#before }),
      ...(body === undefined ? {} : { after: contentHash(body) }),
    };
  }

  /** Options that the caller sent and the handler never read. A success response would then be wrong. */
  get ignoredWishes(): readonly string[] {
    return [...this.#pending];
  }
}

function isNotFound(error: unknown): boolean {
  return error instanceof FleetError && error.entry.category === 'not-found';
}

export function permissionDenied(permission: string, where?: string): HttpError {
  return new HttpError(
    'PERMISSION_DENIED',
    `This needs the permission ${permission}${where === undefined ? '' : ` ${where}`}. Ask an administrator to grant it, or use other credentials.`,
    { details: { permission } },
  );
}

function parseIdempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (typeof header === 'string' && IDEMPOTENCY_KEY.test(header)) return header;
  const message = 'must be 1 to 255 visible ASCII characters, new for each create, for example a UUID';
  throw new HttpError('VALIDATION_FAILED', `The header Idempotency-Key ${message}.`, {
    faults: [{ path: 'header/idempotency-key', message }],
  });
}
