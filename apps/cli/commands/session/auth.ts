import { helpText, suggestion } from '#kit/config';
import { ClientError } from '../../client/client-error.ts';
import { CLIENT_SETTINGS } from '../../client/client-settings.ts';
import { type Command, EXIT, type ExitCode, type Io, UsageError } from '../../command.ts';
import type { CliContext } from '../../config-file/cli-config.ts';
import { execCredential, execVersion, expiryOf, inSeconds } from './auth/exec-credential.ts';
import { findConnection } from './auth/find-connection.ts';

const SUMMARY = `Gives programs access to your login.

  token  prints the token of the login as a Kubernetes ExecCredential, refreshed if it is about to expire.
         kubeconfigs written by "fleetshift kubeconfig generate" make kubectl run this

The output is a credential: keep it secret.`;

export const auth: Command = {
  help: () => helpText({ usage: 'fleetshift auth token [flags]', summary: SUMMARY, settings: CLIENT_SETTINGS }),
  async run([word, ...args], io, signal) {
    if (word === 'token') return await printToken(args, io, signal);
    if (word === undefined) throw new UsageError('missing action: one of token');
    throw new UsageError(`unknown action "${word}"${suggestion(word, ['token'])}\nsee: fleetshift auth --help`);
  },
};

async function printToken(args: readonly string[], io: Io, signal: AbortSignal): Promise<ExitCode> {
  const found = findConnection(CLIENT_SETTINGS, args, io);
  const [extra] = found.positionals;
  if (extra !== undefined) throw new UsageError(`unexpected argument "${extra}"`);
  const version = execVersion(io.environment['KUBERNETES_EXEC_INFO']);
  if (version === undefined) {
    throw new UsageError('KUBERNETES_EXEC_INFO requests an unknown version of ExecCredential');
  }
  const { token } = await found.connect(signal);
  if (token === undefined) throw new ClientError('NO_TOKEN', 'not logged in; run: fleetshift login');
  const text = token.reveal();
  io.out(`${JSON.stringify(execCredential(version, text, expiryOf(text) ?? keptExpiry(found.context(), text)))}\n`);
  return EXIT.ok;
}

/** For a token without an expiry of its own, if it is the token of the context. */
function keptExpiry(context: CliContext | undefined, token: string): string | undefined {
  const credentials = context?.credentials;
  if (credentials?.kind !== 'token' || credentials.token !== token) return undefined;
  return credentials.expireTime && inSeconds(new Date(credentials.expireTime));
}
