import type { Precondition, ResourceName, Uuid, Versioned } from '#kit/std';
import { IdentityError, invalid } from '../domain/identity-error.ts';
import { type ClientSecret, type Issuer, isSameUrl } from '../domain/issuer.ts';
import { type IssuerPatch, newIssuer, patchIssuer, type RawIssuer } from '../domain/issuer-draft.ts';
import type { ClaimLanguage, UnitOfWork } from './ports.ts';

export interface IssuerServiceDeps {
  readonly newUid: () => Uuid;
  readonly language: ClaimLanguage;
  /** Set by configuration; independent of the database. */
  readonly configured: readonly Issuer[];
}

export interface CreateIssuer {
  readonly draft: RawIssuer;
  readonly clientSecret: ClientSecret | undefined;
  readonly now: number;
}

export interface ChangeIssuer {
  readonly name: ResourceName;
  readonly precondition: Precondition<Versioned>;
  readonly now: number;
  /** Receives the issuer as it was before the change. */
  readonly before: (issuer: Issuer) => void;
}

export interface PatchIssuer extends ChangeIssuer {
  readonly patch: IssuerPatch;
  /** `null` removes it, `undefined` leaves it unchanged. */
  readonly clientSecret: ClientSecret | null | undefined;
}

const MAX_ISSUERS = 256;

/** Throws `INVALID_ISSUER` with every expression that cannot be compiled. */
export function checkClaims({ claims }: Issuer, language: ClaimLanguage): void {
  const { username, groups, sharedGroups } = claims;
  const faults = [
    { path: '/claims/username', message: language.faultOf(username, 'text') },
    { path: '/claims/groups', message: language.faultOf(groups, 'list') },
    { path: '/claims/sharedGroups', message: sharedGroups && language.faultOf(sharedGroups, 'list') },
  ].flatMap(({ path, message }) => (message ? [{ path, message }] : []));
  if (faults.length > 0) throw invalid('INVALID_ISSUER', faults);
}

/** Commands on issuers. The caller provides the unit of work, and decides whether it commits. */
export class IssuerService {
  readonly #deps: IssuerServiceDeps;

  constructor(deps: IssuerServiceDeps) {
    this.#deps = deps;
  }

  async create(
    { issuers, events }: UnitOfWork,
    { draft, clientSecret, now }: CreateIssuer,
    signal: AbortSignal,
  ): Promise<Issuer> {
    const { newUid, language, configured } = this.#deps;
    const issuer = newIssuer(draft, { uid: newUid(), now, source: 'api', clientSecret });
    checkClaims(issuer, language);
    const others = [...configured, ...(await issuers.list(signal))];
    if (others.length >= MAX_ISSUERS) throw tooMany();
    for (const other of others) checkDistinct(issuer, other);
    await issuers.insert(issuer, signal);
    await events.append([{ type: 'issuer.created', subject: { kind: 'issuer', issuer } }], now, signal);
    return issuer;
  }

  async patch(unit: UnitOfWork, command: PatchIssuer, signal: AbortSignal): Promise<Issuer> {
    const { patch, now, clientSecret } = command;
    const current = await this.#changeable(unit, command, signal);
    const secret = clientSecret === undefined ? current.clientSecret : (clientSecret ?? undefined);
    const next = patchIssuer(current, patch, { now, clientSecret: secret });
    checkClaims(next, this.#deps.language);
    await unit.issuers.replace(next, signal);
    await unit.events.append([{ type: 'issuer.updated', subject: { kind: 'issuer', issuer: next } }], now, signal);
    return next;
  }

  /** Users who logged in through the issuer are logged out. */
  async delete(unit: UnitOfWork, command: ChangeIssuer, signal: AbortSignal): Promise<void> {
    const issuer = await this.#changeable(unit, command, signal);
    await unit.issuers.remove(issuer, signal);
    await unit.sessions.remove({ issuer: issuer.name }, signal);
    await unit.events.append([{ type: 'issuer.deleted', subject: { kind: 'issuer', issuer } }], command.now, signal);
  }

  async #changeable({ issuers }: UnitOfWork, command: ChangeIssuer, signal: AbortSignal): Promise<Issuer> {
    const { name, precondition, before } = command;
    if (this.#deps.configured.some((issuer) => issuer.name === name)) throw isConfigured(name);
    const current = (await issuers.list(signal)).find((issuer) => issuer.name === name);
    if (current === undefined) throw issuerNotFound(name);
    precondition.check(current);
    before(current);
    return current;
  }
}

export function issuerNotFound(name: string): IdentityError {
  return new IdentityError('ISSUER_NOT_FOUND', `There is no issuer ${name}.`, { details: { issuer: name } });
}

function checkDistinct(issuer: Issuer, other: Issuer): void {
  const path = issuer.name === other.name ? '/name' : isSameUrl(issuer.url, other.url) ? '/url' : undefined;
  if (path === undefined) return;
  throw new IdentityError(
    'ISSUER_TAKEN',
    `Issuer ${other.name} already has this ${path.slice(1)}. Change that one, or choose another.`,
    { faults: [{ path, message: 'is taken' }] },
  );
}

function isConfigured(name: string): IdentityError {
  return new IdentityError(
    'ISSUER_CONFIGURED',
    `Issuer ${name} is set by the configuration of the platform. Change it there, and restart the platform.`,
  );
}

function tooMany(): IdentityError {
  return new IdentityError('TOO_MANY', `There are already ${MAX_ISSUERS} issuers. Delete one that is not used.`);
}
