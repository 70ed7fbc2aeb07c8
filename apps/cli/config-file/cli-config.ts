import { ConfigFileError } from './config-file-error.ts';

/** The tokens of a login at an issuer, and everything needed to refresh them. */
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

/** A token of a service account or of a one-time login. */
interface TokenCredentials {
  readonly kind: 'token';
  readonly token: string;
  readonly expireTime?: string;
}

export type Credentials = IssuerCredentials | TokenCredentials;

export interface CliContext {
  readonly name: string;
  readonly server: string;
  /** In PEM, in addition to the authorities that this machine trusts. */
  readonly ca?: string;
  readonly workspace?: string;
  readonly credentials?: Credentials;
}

/** The configuration file of the CLI, similar to a kubeconfig: platforms by name, and the current one. */
export interface CliConfig {
  readonly version: 1;
  readonly currentContext?: string;
  readonly contexts: readonly CliContext[];
}

export const EMPTY_CONFIG: CliConfig = { version: 1, contexts: [] };

/** The named context, else the current one; `undefined` when there is neither. */
export function contextIn({ contexts, currentContext }: CliConfig, name: string | undefined): CliContext | undefined {
  const wanted = name ?? currentContext;
  if (wanted === undefined) return undefined;
  const found = contexts.find((context) => context.name === wanted);
  if (found !== undefined) return found;
  const known = contexts.map((context) => context.name).join(', ') || 'none';
  throw new ConfigFileError(
    'CONTEXT_NOT_FOUND',
    `no context ${wanted} (known: ${known}); create it with "fleetshift login --context ${wanted}"`,
  );
}

/** Adds the context or replaces the one with the same name, and makes it current. */
export function withContext(config: CliConfig, context: CliContext): CliConfig {
  const others = config.contexts.filter(({ name }) => name !== context.name);
  const contexts = [...others, context].sort((a, b) => (a.name < b.name ? -1 : 1));
  return { ...config, contexts, currentContext: context.name };
}
