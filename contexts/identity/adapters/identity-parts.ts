import type { SecretSource } from '#kit/std';
import type { Storage, Transaction } from '#kit/storage';
import type { AccountService } from '../application/account-service.ts';
import type { IssuerService } from '../application/issuer-service.ts';
import type { LoginService } from '../application/login-service.ts';
import type { Sealer, UnitOfWork } from '../application/ports.ts';
import type { CodeFlow } from './oidc/code-flow.ts';
import type { IssuerDirectory } from './oidc/issuer-directory.ts';
import type { SqlIdentityReader } from './sql/sql-identity-reader.ts';

/** Shared by the routes of this context. */
export interface IdentityParts {
  readonly storage: Storage;
  readonly sealer: Sealer;
  readonly reader: SqlIdentityReader;
  readonly unit: (tx: Transaction) => UnitOfWork;
  readonly issuers: IssuerService;
  readonly accounts: AccountService;
  readonly login: LoginService;
  readonly directory: IssuerDirectory;
  readonly flow: CodeFlow;
  readonly secrets: SecretSource;
  readonly origins: () => readonly string[];
  /** Throws the not-found error of the workspaces context. */
  readonly requireWorkspace: (tx: Transaction, workspace: string) => Promise<void>;
  /** Removes every stored login code, once a code was used. */
  readonly removeCodes: () => void;
  /** To be called after the commit of a revocation: empties the caches of this process, and notifies the others. */
  readonly changed: () => void;
}
