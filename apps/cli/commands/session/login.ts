import { readFileSync } from 'node:fs';
import { helpText } from '#kit/config';
import { IdentitySchema, type LoginChoicesResource, LoginChoicesSchema, RedeemedLoginSchema } from '#protocol/api';
import { ClientError } from '../../client/client-error.ts';
import { type Command, EXIT, type Io, UsageError } from '../../command.ts';
import { type CliConfig, type CliContext, type Credentials, withContext } from '../../config-file/cli-config.ts';
import { changeConfigFile, configFilePath, readConfigFile } from '../../config-file/config-file.ts';
import { askPlatform } from '../../login/ask-platform.ts';
import { tokenOf } from '../../login/context-connection.ts';
import { deviceLogin } from '../../login/device-login.ts';
import { connectIssuer } from '../../login/issuer-connection.ts';
import { LOGIN_SETTINGS } from '../../login/login-settings.ts';
import { loopbackLogin } from '../../login/loopback-login.ts';
import { type PlatformAddress, platformAddress, readAuthority } from '../../login/platform-address.ts';
import { readSettings } from '../../login/read-settings.ts';
import { printable } from '../../output/printable.ts';

type LoginValues = ReturnType<typeof readSettings<typeof LOGIN_SETTINGS>>;

const TOKEN = /^[\x21-\x7e]{1,4096}$/;
const LOCAL = 'http://127.0.0.1:8700';

export const login: Command = {
  help: () =>
    helpText({
      usage: 'fleetshift login [flags]',
      summary:
        'Logs in to a platform and saves the login in the configuration, which is the file in FLEETSHIFT_CONFIG\nor ~/.config/fleetshift/config.yaml.',
      settings: LOGIN_SETTINGS,
    }),
  async run(args, io, signal) {
    const values = readSettings(LOGIN_SETTINGS, args, io);
    const file = configFilePath(io.environment);
    const before = contextFor(values, readConfigFile(file));
    const address = platformAddress(new URL(before.server), before.ca);
    const credentials = await obtain({ values, address, io }, signal);
    // Checks the login, and shows its identity, before saving it.
    const question = {
      method: 'GET',
      path: '/v1/access/identity',
      token: tokenOf(credentials),
      schema: IdentitySchema,
    } as const;
    const { kind, id } = await askPlatform(address, question, signal);
    const context = { ...before, credentials };
    await changeConfigFile(file, async (config, write) => write(withContext(config, context)), signal);
    io.err(`Logged in to ${address.server.origin} as ${printable(`${kind} ${id}`)}; context ${context.name}.\n`);
    return EXIT.ok;
  },
};

/** The future context, without credentials. */
function contextFor(values: LoginValues, config: CliConfig): CliContext {
  const { server, caFile, context: named, workspace } = values;
  const known = config.contexts.find(
    ({ name }) => name === (named ?? (server ? nameOf(server) : config.currentContext)),
  );
  const address = server?.href ?? known?.server ?? LOCAL;
  const ca = caFile === undefined ? known?.ca : readAuthority(caFile);
  const space = workspace ?? known?.workspace;
  return {
    name: named ?? known?.name ?? nameOf(new URL(address)),
    server: address,
    ...(ca === undefined ? {} : { ca }),
    ...(space === undefined ? {} : { workspace: space }),
  };
}

function nameOf({ host }: URL): string {
  return host.replace(/[^a-z0-9.-]+/gi, '-').replace(/^-|-$/g, '');
}

interface Wanted {
  readonly values: LoginValues;
  readonly address: PlatformAddress;
  readonly io: Io;
}

async function obtain({ values, address, io }: Wanted, signal: AbortSignal): Promise<Credentials> {
  const { tokenFile, oneTime, device, issuer: named } = values;
  const ways = [tokenFile !== undefined, oneTime !== undefined, device || named !== undefined];
  if (ways.filter(Boolean).length > 1)
    throw new UsageError('--token-file, --one-time and --device or --issuer: choose one');
  if (tokenFile !== undefined) return { kind: 'token', token: readToken(tokenFile) };
  if (oneTime !== undefined) return await redeem(address, oneTime, signal);
  const issuer = choose(
    await askPlatform(address, { method: 'GET', path: '/v1/login', schema: LoginChoicesSchema }, signal),
    named,
  );
  const { name, url, clientId, ca } = issuer;
  const connection = await connectIssuer({ issuer: name, url, clientId, ca }, signal);
  // The platform does not need it; the CLI does, to continue when the first token has expired.
  const scopes = [...new Set([...issuer.scopes, 'offline_access'])];
  const wanted = { scopes, tell: (text: string) => io.err(text) };
  return device ? await deviceLogin(connection, wanted, signal) : await loopbackLogin(connection, wanted, signal);
}

async function redeem(address: PlatformAddress, code: string, signal: AbortSignal): Promise<Credentials> {
  const body = { code, kind: 'cli' };
  const question = { method: 'POST', path: '/v1/login:redeem', body, schema: RedeemedLoginSchema } as const;
  const { token, expireTime } = await askPlatform(address, question, signal);
  if (token === undefined)
    throw new ClientError('ANSWER_NOT_UNDERSTOOD', 'the platform accepted the code but returned no token');
  return { kind: 'token', token, expireTime };
}

function choose({ issuers }: LoginChoicesResource, named: string | undefined) {
  const names = issuers.map(({ name }) => name).join(', ');
  const [only] = issuers;
  if (named === undefined && only !== undefined && issuers.length === 1) return only;
  if (only === undefined) {
    throw new UsageError('the platform has no issuer yet; log in with --one-time or --token-file');
  }
  const found = issuers.find(({ name }) => name === named);
  if (found !== undefined) return found;
  throw new UsageError(
    named === undefined ? `choose an issuer with --issuer: ${names}` : `unknown issuer ${named}; issuers are: ${names}`,
  );
}

function readToken(file: string): string {
  let text: string;
  try {
    text = readFileSync(file === '-' ? 0 : file, 'utf8').trim();
  } catch (cause) {
    throw new UsageError(`--token-file ${file}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
  if (TOKEN.test(text)) return text;
  throw new ClientError('NO_TOKEN', `--token-file ${file} does not contain a token`);
}
