import type { Authenticator, Principal, Route } from '#kit/http';
import type { Runnable } from '#kit/reconcile';
import {
  type Clock,
  sleep as realSleep,
  type Secret,
  type Sleep,
  secretSource,
  systemClock,
  type Uuid,
  uuidv7,
} from '#kit/std';
import type { Reader, Storage, Transaction } from '#kit/storage';
import { AccountService } from '../application/account-service.ts';
import { IssuerService } from '../application/issuer-service.ts';
import { LoginService } from '../application/login-service.ts';
import type { AccountDeleted, Sealer, TokenRights } from '../application/ports.ts';
import { DEFAULT_TOKEN_LIMITS, type TokenLimits } from '../domain/account-token.ts';
import { DEFAULT_SESSION_LIMITS, type SessionLimits } from '../domain/session.ts';
import { adminCodeFile, removeAdminCodes } from './admin-code-file.ts';
import { authenticatorOf } from './authenticator.ts';
import { configuredIssuers } from './configured-issuers.ts';
import { issuerRoutes } from './http/http-issuers.ts';
import { loginRoutes } from './http/http-login.ts';
import { passthroughRoutes } from './http/http-passthroughs.ts';
import { serviceAccountRoutes } from './http/http-service-accounts.ts';
import { sessionRoutes } from './http/http-sessions.ts';
import { tokenRoutes } from './http/http-tokens.ts';
import type { IdentityLog } from './identity-log.ts';
import type { IdentityParts } from './identity-parts.ts';
import { runUpkeep } from './identity-upkeep.ts';
import { KnownCallers } from './known-callers.ts';
import { ClaimExpressions } from './oidc/claim-expressions.ts';
import { CodeFlow } from './oidc/code-flow.ts';
import { IssuerDirectory } from './oidc/issuer-directory.ts';
import type { IssuerDial } from './oidc/issuer-fetch.ts';
import { JwtVerifier } from './oidc/jwt-verifier.ts';
import { CHANGED_TOPIC } from './sql/changed-topic.ts';
import { findPassthrough, removePassthrough } from './sql/passthrough-rows.ts';
import { SqlIdentityReader } from './sql/sql-identity-reader.ts';
import { unitOfWork } from './sql/sql-unit-of-work.ts';

export interface IdentityDeps {
  readonly storage: Storage;
  readonly sealer: Sealer;
  readonly log: IdentityLog;
  /**
   * Throws the not-found error of the workspaces context; runs in the transaction that creates something in the
   * workspace.
   */
  readonly requireWorkspace: (tx: Transaction, workspace: string) => Promise<void>;
  /** Throws the not-found error of the targets context. */
  readonly requireTarget: (reader: Reader, name: string) => Promise<TargetPlace>;
  /** Lets other contexts delete their data about a service account, in the transaction that deletes it. */
  readonly accountDeletedIn?: (tx: Transaction) => AccountDeleted;
  /** Compares the rights of a token with those of the caller that makes it, as the transaction sees them. */
  readonly tokenRightsIn: (tx: Transaction) => TokenRights;
  /** The origins by which browsers reach this platform: `https://fleet.example.com`. Read at each request. */
  readonly origins: () => readonly string[];
  readonly dataFolder: string;
  readonly dial: IssuerDial;
  /** For automation: a request with this token is the administrator's. */
  readonly adminToken?: () => Secret<string>;
  /** The list of issuers from the configuration. */
  readonly issuers?: { readonly raw: unknown; readonly readText: (file: string) => string };
  readonly tokenLimits?: TokenLimits;
  readonly sessionLimits?: SessionLimits;
  readonly clock?: Clock;
  readonly sleep?: Sleep;
  readonly newUid?: () => Uuid;
}

/** A target and its workspace. */
export interface TargetPlace {
  readonly uid: string;
  readonly workspace: string;
}

export interface Identity {
  readonly routes: readonly Route[];
  readonly authenticator: Authenticator;
  /** Authenticates a token for the API server of this target, which is not valid elsewhere on the platform. */
  authenticateAt(target: TargetPlace, bearer: string, signal: AbortSignal): Promise<Principal | undefined>;
  /** Background work. */
  readonly upkeep: Runnable;
  /**
   * Calls the listener when any process may have revoked a credential, after the authenticator's caches are emptied.
   * Returns a function that stops it.
   */
  onRevoked(listener: () => void): () => void;
  close(): void;
}

/** Authentication: all parts of this context that a platform needs, wired. */
export function openIdentity(deps: IdentityDeps): Identity {
  const { storage, log, clock = systemClock, sleep = realSleep, adminToken, origins } = deps;
  const { parts, callers, forgetAll, listeners } = makeParts(deps, clock);
  const forget = storage.onAnnounced(CHANGED_TOPIC, forgetAll);
  const upkeep = { storage, callers, clock, sleep, log };
  return {
    routes: [
      ...issuerRoutes(parts),
      ...passthroughRoutes({ ...parts, requireTarget: deps.requireTarget }),
      ...serviceAccountRoutes(parts),
      ...tokenRoutes(parts),
      ...sessionRoutes(parts),
      ...loginRoutes(parts),
    ],
    authenticator: authenticatorOf({ callers, adminToken, origins }),
    authenticateAt: async ({ uid, workspace }, bearer, signal) => {
      const meant = await storage.read((reader) => findPassthrough(reader, uid), signal);
      // A passthrough is approved for one workspace; it does not follow the target into another.
      if (meant?.workspace !== workspace) return undefined;
      return await callers.byIssuerToken(bearer, signal, meant);
    },
    upkeep: { name: 'identity upkeep', run: (signal) => runUpkeep(upkeep, signal) },
    onRevoked: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close: forget,
  };
}

/** Deletes the data of this context about a target, in the transaction that deletes the target. */
export function identityInTree(tx: Transaction) {
  return {
    deleted: async ({ uid }: { readonly uid: string }, signal: AbortSignal): Promise<void> => {
      signal.throwIfAborted();
      await tx.run(removePassthrough(uid));
    },
  };
}

/**
 * Limits the wait for an unresponsive database; other processes notice the change by themselves when their caches
 * expire.
 */
const TELL_MS = 5_000;

interface Made {
  readonly parts: IdentityParts;
  readonly callers: KnownCallers;
  readonly forgetAll: () => void;
  readonly listeners: Set<() => void>;
}

function makeParts(deps: IdentityDeps, clock: Clock): Made {
  const { storage, sealer, origins, requireWorkspace, dataFolder, newUid = uuidv7 } = deps;
  const { tokenLimits = DEFAULT_TOKEN_LIMITS, sessionLimits = DEFAULT_SESSION_LIMITS } = deps;
  const [secrets, reader, language] = [secretSource, new SqlIdentityReader(storage), new ClaimExpressions()];
  const configured = deps.issuers
    ? configuredIssuers(deps.issuers.raw, { language, readText: deps.issuers.readText, now: clock.now() })
    : [];
  const directory = new IssuerDirectory({
    configured,
    stored: (signal) => reader.issuers(signal),
    clock,
    dial: deps.dial,
  });
  const jwt = new JwtVerifier({ issuers: directory, expressions: language });
  const callers = new KnownCallers({ reader, jwt, secrets, clock, limits: sessionLimits });
  const listeners = new Set<() => void>();
  const forgetAll = (): void => {
    callers.clear();
    directory.clear();
    for (const listener of listeners) listener();
  };
  const codeFile = adminCodeFile(dataFolder);
  const parts: IdentityParts = {
    storage,
    sealer,
    reader,
    unit: (tx) =>
      unitOfWork(tx, {
        newId: newUid,
        tokenRights: deps.tokenRightsIn(tx),
        accountDeleted: deps.accountDeletedIn?.(tx),
      }),
    issuers: new IssuerService({ newUid, language, configured }),
    accounts: new AccountService({ newUid, secrets, limits: tokenLimits }),
    login: new LoginService({ newUid, secrets, limits: sessionLimits, codeFile }),
    directory,
    flow: new CodeFlow({ issuers: directory, verifier: jwt, sealer, log: deps.log }),
    secrets,
    origins,
    requireWorkspace,
    removeCodes: () => removeAdminCodes(dataFolder),
    changed: () => {
      forgetAll();
      // The transaction notified this process only.
      storage
        .announce(CHANGED_TOPIC, AbortSignal.timeout(TELL_MS))
        .catch((err: unknown) =>
          deps.log.warn({ err }, 'revocation not announced; other processes apply it when their caches expire'),
        );
    },
  };
  return { parts, callers, forgetAll, listeners };
}
