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
  /** Fires when the client went away, the time is up, or the server cannot wait for this any longer. */
  readonly signal: AbortSignal;
  /** When it arrived, in milliseconds since the epoch, by the server's clock. */
  readonly time: number;
  readonly path: string;
  readonly method: string;
  readonly address: string;
  readonly headers: IncomingHttpHeaders;
  readonly dryRun: boolean;
  readonly idempotency: 'replay' | 'secret' | undefined;
  /** Asks the authorizer; for what depends on the body, which the route's own permission cannot see. */
  readonly allows: (permission: string, params: Readonly<Record<string, string>>) => Promise<boolean>;
  /** Asks the authenticator once more: for what goes on long after it was asked first. */
  readonly isStillKnown: (signal: AbortSignal) => Promise<boolean>;
  /** `undefined` where nobody keeps a record. */
  readonly audit: AuditSink | undefined;
}

/** A conditional that the caller sent, and that a handler must have looked at before it answers. */
type Wish = 'If-Match' | 'Idempotency-Key' | 'dryRun';

const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

/** A request as a handler sees it: authenticated, authorised and validated. */
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

  /** Whether the caller wants to see what would happen, without it happening. `mutate` takes care of it. */
  get dryRun(): boolean {
    this.#pending.delete('dryRun');
    return this.#facts.dryRun;
  }

  /** Set on routes with `idempotency` only. `mutate` takes care of it. */
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

  /** Where it came from, by the proxies that are trusted. */
  get address(): string {
    return this.#facts.address;
  }

  get headers(): IncomingHttpHeaders {
    return this.#facts.headers;
  }

  /** Whether the same credentials would be taken now, and be the same principal's. */
  async isStillKnown(signal: AbortSignal): Promise<boolean> {
    return await this.#facts.isStillKnown(signal);
  }

  /** Throws `PERMISSION_DENIED` unless the principal may do this as well. */
  async authorize(permission: string, params: Readonly<Record<string, string>>): Promise<void> {
    try {
      if (await this.#facts.allows(permission, params)) return;
    } catch (error) {
      if (isNotFound(error)) this.#refused('hidden');
      throw error;
    }
    this.#refused('denied');
    throw permissionDenied(permission);
  }

  /** It was refused for what is there already. */
  recordRefusal(): void {
    this.#refused('denied');
  }

  /**
   * The same on a workspace that something leaves. The caller reads its name in what leaves it, so one that the caller may not
   * read is not hidden here: the answer says what is missing.
   */
  async authorizeLeaving(permission: string, workspace: string): Promise<void> {
    const isAllowed = await this.#facts.allows(permission, { workspace }).catch((error: unknown) => {
      if (isNotFound(error)) return false;
      throw error;
    });
    if (isAllowed) return;
    this.#refused('denied');
    throw permissionDenied(permission, `on the workspace ${workspace}, which it leaves`);
  }

  #refused(outcome: AuditOutcome): void {
    this.#facts.audit?.refused({ ...this.#entry(undefined), outcome });
  }

  /** Under another name than the operation's own, for what the same request may be and is worth finding by itself. */
  auditAs(operationId: string): void {
    this.#auditedAs = operationId;
  }

  /** Tells what the thing looked like that is about to change, as the API shows it. Only a hash of it is kept. */
  changes(before: object): void {
    this.#before = contentHash(before);
  }

  /** `mutate` calls it, once the body has its answer and before the transaction ends. */
  async recordChange(tx: Transaction, answer: Answer): Promise<void> {
    this.#isAudited = true;
    await this.#facts.audit?.append(tx, this.#entry(answer));
  }

  /** For a change outside the database: noted down before it is tried, so that none goes unrecorded. */
  async recordAttempt(): Promise<void> {
    this.#isAudited = true;
    await this.#facts.audit?.note(this.#entry(undefined), this.signal);
  }

  /** For what turns out to change nothing, such as the repetition of what was done before. */
  recordNothing(): void {
    this.#isAudited = true;
  }

  /** A change that nobody took down would be missing from the audit. */
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

  /** What the caller sent and the handler never looked at. An answer that ignored it would be a lie. */
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
    `This needs the permission ${permission}${where === undefined ? '' : ` ${where}`}. Ask somebody who can grant it, or use other credentials.`,
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
