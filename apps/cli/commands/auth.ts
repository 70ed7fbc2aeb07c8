import { helpText, suggestion } from '#kit/config';
import { ClientError } from '../client/client-error.ts';
import { CLIENT_SETTINGS } from '../client/client-settings.ts';
import { type Command, EXIT, type ExitCode, type Io, UsageError } from '../command.ts';
import type { CliContext } from '../config-file/cli-config.ts';
import { execCredential, execVersion, expiryOf, inSeconds } from './auth/exec-credential.ts';
import { findConnection } from './auth/find-connection.ts';

const SUMMARY = `Shows what you are known by, to programs.

  token  prints the token of the login as a credential of Kubernetes (ExecCredential), refreshed when it is about to end.
         kubeconfigs that "fleetshift kubeconfig generate" makes have kubectl run this

Whoever reads what it prints can do what you can.`;

export const auth: Command = {
  help: () => helpText({ usage: 'fleetshift auth token [flags]', summary: SUMMARY, settings: CLIENT_SETTINGS }),
  async run([word, ...args], io, signal) {
    if (word === 'token') return await printToken(args, io, signal);
    if (word === undefined) throw new UsageError('say what to do: token');
    throw new UsageError(
      `"${word}" cannot be done${suggestion(word, ['token'])}\nfleetshift auth --help says what can`,
    );
  },
};

async function printToken(args: readonly string[], io: Io, signal: AbortSignal): Promise<ExitCode> {
  const found = findConnection(CLIENT_SETTINGS, args, io);
  const [extra] = found.positionals;
  if (extra !== undefined) throw new UsageError(`"${extra}": an argument that is not expected here`);
  const version = execVersion(io.environment['KUBERNETES_EXEC_INFO']);
  if (version === undefined) {
    throw new UsageError('KUBERNETES_EXEC_INFO asks for a version of credentials that is not known here');
  }
  const { token } = await found.connect(signal);
  if (token === undefined) throw new ClientError('NO_TOKEN', 'nobody is logged in here; run: fleetshift login');
  const text = token.reveal();
  io.out(`${JSON.stringify(execCredential(version, text, expiryOf(text) ?? keptExpiry(found.context(), text)))}\n`);
  return EXIT.ok;
}

/** Of a token that does not say it itself, if it is that of the context. */
function keptExpiry(context: CliContext | undefined, token: string): string | undefined {
  const credentials = context?.credentials;
  if (credentials?.kind !== 'token' || credentials.token !== token) return undefined;
  return credentials.expireTime && inSeconds(new Date(credentials.expireTime));
}
