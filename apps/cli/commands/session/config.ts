import { stringify } from 'yaml';
import { boolean, helpText, path, type Settings, suggestion, text, url } from '#kit/config';
import { REDACTED } from '#kit/std';
import { type Command, EXIT, type Io, UsageError } from '../../command.ts';
import { type CliConfig, type CliContext, contextIn, withContext } from '../../config-file/cli-config.ts';
import { changeConfigFile, configFilePath, readConfigFile } from '../../config-file/config-file.ts';
import { platformAddress, readAuthority } from '../../login/platform-address.ts';
import { readSettings } from '../../login/read-settings.ts';
import { renderTable } from '../../output/render-table.ts';

const group = 'set-context';
const from = ['flag'] as const;

const SET_SETTINGS = {
  current: { kind: boolean(), default: 'false', sentence: 'The current context, instead of a name.', group, from },
  server: { kind: url(['http:', 'https:']), sentence: 'The address of the platform.', group, from },
  'ca-file': {
    kind: path(),
    sentence: 'An additional certificate authority to trust, in PEM; it is copied into the configuration.',
    group,
    from,
  },
  workspace: {
    kind: text('NAME'),
    sentence: 'The default workspace; -w for short.',
    group,
    from,
  },
} as const satisfies Settings;

interface ConfigCommand {
  readonly args: readonly string[];
  readonly file: string;
  readonly io: Io;
}

type Verb = (command: ConfigCommand, signal: AbortSignal) => Promise<void>;

const VERBS: Readonly<Record<string, Verb>> = {
  'get-contexts': getContexts,
  'current-context': currentContext,
  'use-context': useContext,
  'set-context': setContext,
  'delete-context': deleteContext,
  view,
};

const SUMMARY = `Manages the contexts in FLEETSHIFT_CONFIG, or ~/.config/fleetshift/config.yaml. "fleetshift login" adds one.

  get-contexts         lists the contexts
  current-context      prints the current context
  use-context NAME     makes another context current
  set-context NAME     creates a context, or changes its server, authority or workspace; --current for the current one
  delete-context NAME  deletes a context and its login on this machine
  view                 prints the file without its secrets`;

export const config: Command = {
  help: () =>
    helpText({
      usage: `fleetshift config ${Object.keys(VERBS).join('|')} [NAME] [flags]`,
      summary: SUMMARY,
      settings: SET_SETTINGS,
    }),
  async run([word, ...args], io, signal) {
    if (word === undefined) throw new UsageError(`missing action: one of ${Object.keys(VERBS).join(', ')}`);
    const verb = Object.hasOwn(VERBS, word) ? VERBS[word] : undefined;
    if (verb === undefined) {
      const known = suggestion(word, Object.keys(VERBS));
      throw new UsageError(`unknown action "${word}"${known}\nsee: fleetshift config --help`);
    }
    await verb({ args, file: configFilePath(io.environment), io }, signal);
    return EXIT.ok;
  },
};

async function getContexts({ args, file, io }: ConfigCommand): Promise<void> {
  expectNothing(args);
  const { contexts, currentContext: current } = readConfigFile(file);
  if (contexts.length === 0) return io.err('no contexts; create one with "fleetshift login"\n');
  const rows = contexts.map(({ name, server, workspace, credentials }) => [
    name === current ? '*' : '',
    name,
    server,
    workspace ?? '-',
    credentials === undefined
      ? 'logged out'
      : credentials.kind === 'issuer'
        ? `by ${credentials.issuer}`
        : 'by a token',
  ]);
  io.out(renderTable(['CURRENT', 'NAME', 'SERVER', 'WORKSPACE', 'LOGIN'], rows));
}

async function currentContext({ args, file, io }: ConfigCommand): Promise<void> {
  expectNothing(args);
  const { currentContext: current } = readConfigFile(file);
  if (current === undefined)
    throw new UsageError('no current context; choose one with "fleetshift config use-context"');
  io.out(`${current}\n`);
}

async function useContext({ args, file, io }: ConfigCommand, signal: AbortSignal): Promise<void> {
  const name = onlyName(args);
  await changeConfigFile(
    file,
    async (config, write) => {
      contextIn(config, name);
      write({ ...config, currentContext: name });
    },
    signal,
  );
  io.err(`Current context: ${name}.\n`);
}

async function setContext({ args, file, io }: ConfigCommand, signal: AbortSignal): Promise<void> {
  const named = args[0]?.startsWith('-') === false;
  const values = readSettings(SET_SETTINGS, named ? args.slice(1) : args, io);
  if (named === values.current) throw new UsageError('name the context, or use --current');
  const { server, caFile, workspace } = values;
  const ca = caFile === undefined ? undefined : readAuthority(caFile);
  const changes = { ...(ca && { ca }), ...(workspace && { workspace }) };
  if (server === undefined && Object.keys(changes).length === 0) {
    throw new UsageError('nothing to set: use --server, --ca-file or --workspace');
  }
  const name = await changeConfigFile(
    file,
    async (config, write) => {
      const wanted = named ? args[0] : config.currentContext;
      if (wanted === undefined) throw new UsageError('no current context; name one');
      const known = config.contexts.find((context) => context.name === wanted);
      const context = { ...withServer(known, wanted, server), ...changes };
      write(withCurrent(withContext(config, context), config.currentContext ?? wanted));
      return wanted;
    },
    signal,
  );
  io.err(`Context ${name} set.\n`);
}

/** A login is valid only for its platform, and is dropped when the server changes. */
function withServer(known: CliContext | undefined, name: string, server: URL | undefined): CliContext {
  if (server === undefined) {
    if (known === undefined) throw new UsageError(`no context ${name} yet; to create one, use --server`);
    return known;
  }
  platformAddress(server, undefined);
  if (known?.server === server.href) return known;
  const { credentials: _elsewhere, ...rest } = known ?? { name };
  return { ...rest, server: server.href };
}

async function deleteContext({ args, file, io }: ConfigCommand, signal: AbortSignal): Promise<void> {
  const name = onlyName(args);
  await changeConfigFile(
    file,
    async (config, write) => {
      contextIn(config, name);
      const contexts = config.contexts.filter((context) => context.name !== name);
      const current = config.currentContext === name ? undefined : config.currentContext;
      write(withCurrent({ ...config, contexts }, current));
    },
    signal,
  );
  io.err(
    `Context ${name} deleted on this machine; a login that was not logged out may still be valid at the platform.\n`,
  );
}

async function view({ args, file, io }: ConfigCommand): Promise<void> {
  expectNothing(args);
  const config = readConfigFile(file);
  io.out(stringify({ ...config, contexts: config.contexts.map(withoutSecrets) }));
}

function withoutSecrets({ credentials, ...context }: CliContext): object {
  if (credentials === undefined) return context;
  if (credentials.kind === 'token') return { ...context, credentials: { ...credentials, token: REDACTED } };
  const { refreshToken, ...rest } = credentials;
  const hidden = { ...rest, idToken: REDACTED, ...(refreshToken === undefined ? {} : { refreshToken: REDACTED }) };
  return { ...context, credentials: hidden };
}

function withCurrent({ version, contexts }: CliConfig, currentContext: string | undefined): CliConfig {
  return { version, contexts, ...(currentContext === undefined ? {} : { currentContext }) };
}

function onlyName(args: readonly string[]): string {
  const [name, ...extra] = args;
  if (name === undefined) throw new UsageError('missing name of the context');
  expectNothing(extra);
  return name;
}

function expectNothing([extra]: readonly string[]): void {
  if (extra !== undefined) throw new UsageError(`unexpected argument "${extra}"`);
}
