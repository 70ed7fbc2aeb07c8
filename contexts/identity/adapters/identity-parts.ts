import type { Storage, Transaction } from '#kit/storage';
import type { AccountService } from '../application/account-service.ts';
import type { IssuerService } from '../application/issuer-service.ts';
import type { LoginService } from '../application/login-service.ts';
import type { Sealer, SecretSource, UnitOfWork } from '../application/ports.ts';
import type { CodeFlow } from './oidc/code-flow.ts';
import type { IssuerDirectory } from './oidc/issuer-directory.ts';
import type { SqlIdentityReader } from './sql/sql-identity-reader.ts';

/** What the routes share. */
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
  /** Throws the error of a workspace that is missing. */
  readonly requireWorkspace: (tx: Transaction, workspace: string) => Promise<void>;
  /** Nothing that a code was left in is to stay once one was used. */
  readonly removeCodes: () => void;
  /** Something was committed by which somebody is taken no longer: from here on nobody here takes him. */
  readonly changed: () => void;
}
