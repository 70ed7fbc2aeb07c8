import { helpText } from '#kit/config';
import { FleetError, TOKEN_PREFIXES } from '#kit/std';
import { ClientError } from '../../client/client-error.ts';
import { type Command, EXIT, type ExitCode, type Io } from '../../command.ts';
import { type CliContext, type Credentials, contextIn, withContext } from '../../config-file/cli-config.ts';
import { changeConfigFile, configFilePath } from '../../config-file/config-file.ts';
import { askPlatform } from '../../login/ask-platform.ts';
import { tokenOf } from '../../login/context-connection.ts';
import { revokeRefreshToken } from '../../login/issuer-connection.ts';
import { CONTEXT_SETTING } from '../../login/login-settings.ts';
import { platformAddress } from '../../login/platform-address.ts';
import { readSettings } from '../../login/read-settings.ts';

export const logout: Command = {
  help: () =>
    helpText({
      usage: 'fleetshift logout [flags]',
      summary:
        'Logs out: the login ends at the platform and at the issuer, and is removed from the configuration. The token of a service\naccount is only removed from the configuration, because others may use it.',
      settings: CONTEXT_SETTING,
    }),
  async run(args, io, signal) {
    const { context: name } = readSettings(CONTEXT_SETTING, args, io);
    const file = configFilePath(io.environment);
    const context = await forget(file, name, signal);
    if (context?.credentials === undefined) {
      throw new ClientError('NO_TOKEN', 'not logged in; run: fleetshift login');
    }
    return await end({ context, credentials: context.credentials, io }, signal);
  },
};

/** Removed from the file first: whatever happens next, this machine no longer uses it. */
async function forget(file: string, name: string | undefined, signal: AbortSignal): Promise<CliContext | undefined> {
  return await changeConfigFile(
    file,
    async (config, write) => {
      const context = contextIn(config, name);
      if (context?.credentials === undefined) return undefined;
      const { credentials: _ended, ...rest } = context;
      const { currentContext } = config;
      write({ ...withContext(config, rest), ...(currentContext === undefined ? {} : { currentContext }) });
      return context;
    },
    signal,
  );
}

interface Ending {
  readonly context: CliContext;
  readonly credentials: Credentials;
  readonly io: Io;
}

async function end({ context, credentials, io }: Ending, signal: AbortSignal): Promise<ExitCode> {
  const address = platformAddress(new URL(context.server), context.ca);
  const token = tokenOf(credentials);
  const steps: (() => Promise<unknown>)[] = [];
  if (!token.startsWith(TOKEN_PREFIXES.access)) {
    steps.push(() => askPlatform(address, { method: 'POST', path: '/v1/logout', token }, signal));
  }
  if (credentials.kind === 'issuer') steps.push(() => revokeRefreshToken(credentials, signal));
  let code: ExitCode = EXIT.ok;
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      // A session that has already ended is not an error.
      if (error instanceof ClientError && error.code === 'NOT_AUTHENTICATED') continue;
      if (!(error instanceof FleetError)) throw error;
      io.err(`The login was removed from this machine, but not everywhere: ${error.message}\n`);
      code = EXIT.failure;
    }
  }
  if (code === EXIT.ok) io.err(`Logged out of ${address.server.origin}; context ${context.name}.\n`);
  return code;
}
