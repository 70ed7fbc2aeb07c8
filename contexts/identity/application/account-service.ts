import type { Precondition, SecretSource, Versioned } from '#kit/std';
import { type Labels, parseResourceName, type ResourceName, type Uuid } from '#kit/std';
import {
  type AccountToken,
  MAX_TOKENS,
  newToken,
  type RotationRequest,
  rotateToken,
  type TokenFounding,
  type TokenLimits,
  type TokenRequest,
  type TokenScope,
} from '../domain/account-token.ts';
import { IdentityError } from '../domain/identity-error.ts';
import type { IdentityEventType } from '../domain/identity-event.ts';
import { narrowScope } from '../domain/narrow-scope.ts';
import {
  newServiceAccount,
  patchServiceAccount,
  principalIdOf,
  type ServiceAccount,
  type ServiceAccountPatch,
} from '../domain/service-account.ts';
import { formatToken } from '../domain/token-text.ts';
import type { AccountKey, Committed, LackedRights, TokenMaker, UnitOfWork } from './ports.ts';

export interface AccountServiceDeps {
  readonly newUid: () => Uuid;
  readonly secrets: SecretSource;
  readonly limits: TokenLimits;
}

export interface CreateAccount {
  readonly workspace: ResourceName;
  readonly draft: { readonly name: string; readonly displayName?: string; readonly labels?: Labels };
  readonly now: number;
}

export interface ChangeAccount {
  readonly key: AccountKey;
  readonly precondition: Precondition<Versioned>;
  readonly now: number;
  /** Receives the account as it was before the change. */
  readonly before: (account: ServiceAccount) => void;
}

export interface PatchAccount extends ChangeAccount {
  readonly patch: ServiceAccountPatch;
}

/** Identifies one token of an account. */
export interface WhichToken {
  readonly key: AccountKey;
  readonly id: string;
  readonly now: number;
  readonly before: (token: AccountToken) => void;
}

/** The stored token, and the text that is shown to its holder once. */
export interface MintedToken {
  readonly token: AccountToken;
  readonly text: string;
}

/** Commands on service accounts and their tokens. */
export class AccountService {
  readonly #deps: AccountServiceDeps;

  constructor(deps: AccountServiceDeps) {
    this.#deps = deps;
  }

  async create(unit: UnitOfWork, command: CreateAccount, signal: AbortSignal): Promise<ServiceAccount> {
    const { workspace, draft, now } = command;
    const name = parseResourceName(draft.name);
    if (await unit.accounts.find({ workspace, name }, signal)) throw accountTaken({ workspace, name });
    const { displayName, labels = {} } = draft;
    const account = newServiceAccount({ workspace, name, displayName, labels, uid: this.#deps.newUid(), now });
    await unit.accounts.insert(account, signal);
    await tell(unit, 'serviceAccount.created', { account, now }, signal);
    return account;
  }

  /** A patch that changes nothing writes nothing and emits no event. */
  async patch(unit: UnitOfWork, command: PatchAccount, signal: AbortSignal): Promise<ServiceAccount> {
    const { patch, now } = command;
    const current = await changeable(unit, command, signal);
    const next = patchServiceAccount(current, patch, now);
    if (next === current) return current;
    await unit.accounts.replace(next, signal);
    await tell(unit, 'serviceAccount.updated', { account: next, now }, signal);
    return next;
  }

  /** Its tokens are revoked at once. */
  async delete(unit: UnitOfWork, command: ChangeAccount, signal: AbortSignal): Promise<Committed> {
    const { now } = command;
    const account = await changeable(unit, command, signal);
    await unit.accounts.remove(account, signal);
    const { workspace, name } = account;
    const committed = await unit.accountDeleted({ workspace, name, now }, signal);
    await tell(unit, 'serviceAccount.deleted', { account, now }, signal);
    return committed;
  }

  async mint(
    unit: UnitOfWork,
    { key, request, maker, now }: { key: AccountKey; request: TokenRequest; maker: TokenMaker; now: number },
    signal: AbortSignal,
  ): Promise<MintedToken> {
    const account = await findAccount(unit, key, signal);
    await checkRoom(unit, { account, now }, signal);
    const { founding, secret } = this.#found(account, now);
    const token = newToken({ ...request, scope: narrowScope(request.scope ?? {}, maker.scope) }, founding);
    await checkRights(unit, { maker, key, scope: token.scope }, signal);
    await unit.tokens.insert(token, signal);
    await tell(unit, 'serviceAccountToken.created', { account, token, now }, signal);
    return { token, text: formatToken({ id: token.id, secret }) };
  }

  async rotate(
    unit: UnitOfWork,
    { request, maker, ...which }: WhichToken & { request: RotationRequest; maker: TokenMaker },
    signal: AbortSignal,
  ): Promise<MintedToken> {
    const { now, before } = which;
    const { account, token } = await findToken(unit, which, signal);
    before(token);
    await checkRoom(unit, { account, now }, signal);
    const { founding, secret } = this.#found(account, now);
    const { old, next: like } = rotateToken(token, request, founding);
    const next = { ...like, scope: narrowScope(like.scope, maker.scope) };
    await checkRights(unit, { maker, key: which.key, scope: next.scope }, signal);
    await unit.tokens.end(old, signal);
    await unit.tokens.insert(next, signal);
    await tell(unit, 'serviceAccountToken.updated', { account, token: old, now }, signal);
    await tell(unit, 'serviceAccountToken.created', { account, token: next, now }, signal);
    return { token: next, text: formatToken({ id: next.id, secret }) };
  }

  async revoke(unit: UnitOfWork, which: WhichToken, signal: AbortSignal): Promise<void> {
    const { account, token } = await findToken(unit, which, signal);
    which.before(token);
    await unit.tokens.remove(token.id, signal);
    await tell(unit, 'serviceAccountToken.deleted', { account, token, now: which.now }, signal);
  }

  #found({ uid }: ServiceAccount, now: number): { founding: TokenFounding; secret: string } {
    const { secrets, limits } = this.#deps;
    const secret = secrets.newSecret();
    return { secret, founding: { id: secrets.newTokenId(), account: uid, hash: secrets.hash(secret), now, limits } };
  }
}

export function accountNotFound({ workspace, name }: AccountKey): IdentityError {
  return new IdentityError(
    'SERVICE_ACCOUNT_NOT_FOUND',
    `There is no service account ${name} in workspace ${workspace}.`,
    {
      details: { workspace, serviceAccount: name },
    },
  );
}

export function tokenNotFound(id: string): IdentityError {
  return new IdentityError('TOKEN_NOT_FOUND', `This service account has no token ${id}.`, { details: { token: id } });
}

async function findAccount(unit: UnitOfWork, key: AccountKey, signal: AbortSignal): Promise<ServiceAccount> {
  const account = await unit.accounts.find(key, signal);
  if (account === undefined) throw accountNotFound(key);
  return account;
}

async function changeable(unit: UnitOfWork, command: ChangeAccount, signal: AbortSignal): Promise<ServiceAccount> {
  const account = await findAccount(unit, command.key, signal);
  command.precondition.check(account);
  command.before(account);
  return account;
}

async function findToken(
  unit: UnitOfWork,
  { key, id }: Pick<WhichToken, 'key' | 'id'>,
  signal: AbortSignal,
): Promise<{ account: ServiceAccount; token: AccountToken }> {
  const account = await findAccount(unit, key, signal);
  const token = await unit.tokens.find(account.uid, id, signal);
  if (token === undefined) throw tokenNotFound(id);
  return { account, token };
}

interface Bound {
  readonly maker: TokenMaker;
  readonly key: AccountKey;
  readonly scope: TokenScope;
}

/** A token can do no more than its maker, so that no caller gains rights by making one. (ADR-0054) */
async function checkRights(unit: UnitOfWork, { maker, key, scope }: Bound, signal: AbortSignal): Promise<void> {
  const lacked = await unit.tokenRights.lackedBy(maker, { account: key, scope }, signal);
  if (lacked.rights.length > 0 || lacked.hidden) throw exceedsRights(lacked);
}

const SHOWN_RIGHTS = 10;

function exceedsRights({ rights, hidden }: LackedRights): IdentityError {
  const shown = rights.slice(0, SHOWN_RIGHTS);
  const more = rights.length > shown.length ? [`${rights.length - shown.length} more`] : [];
  const unseen = hidden ? ['rights on resources that you may not see'] : [];
  const lacking = [...shown, ...more, ...unseen].join(', ');
  return new IdentityError(
    'TOKEN_EXCEEDS_RIGHTS',
    `This token could do what you may not: you lack ${lacking}. Narrow its scope, or ask a caller with these rights or with tokens.createAny on the root.`,
    { details: { lacking: [...shown], hidden } },
  );
}

async function checkRoom(
  unit: UnitOfWork,
  { account, now }: { account: ServiceAccount; now: number },
  signal: AbortSignal,
): Promise<void> {
  if ((await unit.tokens.countLive(account.uid, now, signal)) < MAX_TOKENS) return;
  throw new IdentityError(
    'TOO_MANY',
    `Service account ${principalIdOf(account)} already has ${MAX_TOKENS} tokens. Delete those that are not used.`,
  );
}

function accountTaken({ workspace, name }: AccountKey): IdentityError {
  return new IdentityError(
    'SERVICE_ACCOUNT_TAKEN',
    `Service account ${name} already exists in workspace ${workspace}. Choose another name.`,
    { faults: [{ path: '/name', message: 'is taken' }] },
  );
}

interface Told {
  readonly account: ServiceAccount;
  readonly token?: AccountToken;
  readonly now: number;
}

async function tell(
  { events }: UnitOfWork,
  type: IdentityEventType,
  { account, token, now }: Told,
  signal: AbortSignal,
): Promise<void> {
  const subject =
    token === undefined ? ({ kind: 'account', account } as const) : ({ kind: 'token', account, token } as const);
  await events.append([{ type, subject }], now, signal);
}
