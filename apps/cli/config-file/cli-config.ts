import { type Static, Type } from 'typebox';
import { ConfigFileError } from './config-file-error.ts';

/** What a login at an issuer gave us, and what it takes to have it renewed. */
const IssuerCredentials = Type.Object(
  {
    kind: Type.Literal('issuer'),
    issuer: Type.String(),
    url: Type.String(),
    clientId: Type.String(),
    ca: Type.Optional(Type.String()),
    idToken: Type.String(),
    expireTime: Type.String(),
    refreshToken: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
);

/** Of a service account, or of a one-time login. */
const TokenCredentials = Type.Object(
  { kind: Type.Literal('token'), token: Type.String(), expireTime: Type.Optional(Type.String()) },
  { additionalProperties: false },
);

const CliContext = Type.Object(
  {
    name: Type.String({ minLength: 1 }),
    server: Type.String({ minLength: 1 }),
    /** In PEM, beside those that this machine trusts anyway. */
    ca: Type.Optional(Type.String()),
    workspace: Type.Optional(Type.String()),
    credentials: Type.Optional(Type.Union([IssuerCredentials, TokenCredentials])),
  },
  { additionalProperties: false },
);

/** The file of the CLI, as a kubeconfig is: platforms by name, and the one that is meant when none is named. */
export const CliConfigSchema = Type.Object(
  { version: Type.Literal(1), currentContext: Type.Optional(Type.String()), contexts: Type.Array(CliContext) },
  { additionalProperties: false },
);

export type CliConfig = Static<typeof CliConfigSchema>;
export type CliContext = Static<typeof CliContext>;
export type Credentials = NonNullable<CliContext['credentials']>;
export type IssuerCredentials = Static<typeof IssuerCredentials>;

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
