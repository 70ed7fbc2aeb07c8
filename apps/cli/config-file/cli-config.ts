import { ConfigFileError } from './config-file-error.ts';

/** What a login at an issuer gave us, and what it takes to have it renewed. */
export interface IssuerCredentials {
  readonly kind: 'issuer';
  readonly issuer: string;
  readonly url: string;
  readonly clientId: string;
  readonly ca?: string;
  readonly idToken: string;
  readonly expireTime: string;
  readonly refreshToken?: string;
}

/** Of a service account, or of a one-time login. */
interface TokenCredentials {
  readonly kind: 'token';
  readonly token: string;
  readonly expireTime?: string;
}

export type Credentials = IssuerCredentials | TokenCredentials;

export interface CliContext {
  readonly name: string;
  readonly server: string;
  /** In PEM, beside those that this machine trusts anyway. */
  readonly ca?: string;
  readonly workspace?: string;
  readonly credentials?: Credentials;
}

/** The file of the CLI, as a kubeconfig is: platforms by name, and the one that is meant when none is named. */
export interface CliConfig {
  readonly version: 1;
  readonly currentContext?: string;
  readonly contexts: readonly CliContext[];
}

export const EMPTY_CONFIG: CliConfig = { version: 1, contexts: [] };

/** The one that is named, else the current one; `undefined` when there is neither. */
export function contextIn({ contexts, currentContext }: CliConfig, name: string | undefined): CliContext | undefined {
  const wanted = name ?? currentContext;
  if (wanted === undefined) return undefined;
  const found = contexts.find((context) => context.name === wanted);
  if (found !== undefined) return found;
  const known = contexts.map((context) => context.name).join(', ') || 'none';
  throw new ConfigFileError(
    'CONTEXT_NOT_FOUND',
    `there is no context ${wanted} (there are: ${known}); make it with "fleetshift login --context ${wanted}"`,
  );
}

/** With this context in place of the one of its name, or beside the others; and current from now on. */
export function withContext(config: CliConfig, context: CliContext): CliConfig {
  const others = config.contexts.filter(({ name }) => name !== context.name);
  const contexts = [...others, context].sort((a, b) => (a.name < b.name ? -1 : 1));
  return { ...config, contexts, currentContext: context.name };
}
