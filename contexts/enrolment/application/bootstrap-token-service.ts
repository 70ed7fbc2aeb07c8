import type { ResourceName, SecretSource } from '#kit/std';
import {
  type BootstrapToken,
  type BootstrapTokenRequest,
  MAX_TOKENS,
  newBootstrapToken,
} from '../domain/bootstrap-token.ts';
import { EnrolmentError } from '../domain/enrolment-error.ts';
import { formatBootstrapToken } from '../domain/token-text.ts';
import type { TokenKey, UnitOfWork } from './ports.ts';

export interface MintToken {
  readonly workspace: ResourceName;
  readonly request: BootstrapTokenRequest;
  readonly now: number;
}

/** The stored token, and the text that is shown to its holder once. */
export interface MintedBootstrapToken {
  readonly token: BootstrapToken;
  readonly text: string;
}

export interface RevokeToken {
  readonly key: TokenKey;
  readonly now: number;
  /** Receives the token as it was before. */
  readonly before: (token: BootstrapToken) => void;
}

/** Commands on bootstrap tokens. */
export class BootstrapTokenService {
  readonly #secrets: SecretSource;

  constructor(secrets: SecretSource) {
    this.#secrets = secrets;
  }

  async mint(
    unit: UnitOfWork,
    { workspace, request, now }: MintToken,
    signal: AbortSignal,
  ): Promise<MintedBootstrapToken> {
    const place = await unit.workspaces.require(workspace, signal);
    const secret = this.#secrets.newSecret();
    const founding = { id: this.#secrets.newTokenId(), hash: this.#secrets.hash(secret), workspace: place, now };
    const token = newBootstrapToken(request, founding);
    if (await unit.tokens.find({ workspace, name: token.name }, signal)) throw nameTaken(token);
    if ((await unit.tokens.countLive(workspace, now, signal)) >= MAX_TOKENS) throw tooMany(workspace);
    await unit.tokens.insert(token, signal);
    await unit.events.append([{ type: 'bootstrapToken.created', subject: { kind: 'token', token } }], now, signal);
    return { token, text: formatBootstrapToken({ id: token.id, secret }) };
  }

  /** Fleetlets that enrolled with it are not affected. */
  async revoke(unit: UnitOfWork, { key, now, before }: RevokeToken, signal: AbortSignal): Promise<void> {
    const token = await unit.tokens.find(key, signal);
    if (token === undefined) throw bootstrapTokenNotFound(key);
    before(token);
    await unit.tokens.remove(token.id, signal);
    await unit.events.append([{ type: 'bootstrapToken.deleted', subject: { kind: 'token', token } }], now, signal);
  }
}

export function bootstrapTokenNotFound({ workspace, name }: TokenKey): EnrolmentError {
  return new EnrolmentError(
    'BOOTSTRAP_TOKEN_NOT_FOUND',
    `There is no bootstrap token ${name} in workspace ${workspace}.`,
    {
      details: { workspace, bootstrapToken: name },
    },
  );
}

function nameTaken({ name, workspace }: BootstrapToken): EnrolmentError {
  return new EnrolmentError(
    'BOOTSTRAP_TOKEN_TAKEN',
    `Bootstrap token ${name} already exists in workspace ${workspace.name}. Choose another name, or omit it.`,
    { faults: [{ path: '/name', message: 'is taken' }] },
  );
}

function tooMany(workspace: string): EnrolmentError {
  return new EnrolmentError(
    'TOO_MANY_BOOTSTRAP_TOKENS',
    `Workspace ${workspace} already has ${MAX_TOKENS} bootstrap tokens that can still be used. Delete those that are not needed.`,
  );
}
