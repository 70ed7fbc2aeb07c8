import { helpText, suggestion } from '#kit/config';
import { type Command, UsageError } from '../../command.ts';
import { GENERATE_SETTINGS, generateKubeconfig } from './kubeconfig/generate-kubeconfig.ts';

const SUMMARY = `Gives kubectl and other kubeconfig clients access to clusters through the platform.

  generate TARGET...  creates a context fleetshift-TARGET for each target, or for --all, in a kubeconfig: on standard output,
                      in a file, or in the one that kubectl uses

The kubeconfig contains no token: kubectl runs "fleetshift auth token" instead.`;

export const kubeconfig: Command = {
  help: () =>
    helpText({
      usage: 'fleetshift kubeconfig generate [TARGET...] [flags]',
      summary: SUMMARY,
      settings: GENERATE_SETTINGS,
    }),
  async run([word, ...args], io, signal) {
    if (word === 'generate') return await generateKubeconfig(args, io, signal);
    if (word === undefined) throw new UsageError('missing action: one of generate');
    const known = suggestion(word, ['generate']);
    throw new UsageError(`unknown action "${word}"${known}\nsee: fleetshift kubeconfig --help`);
  },
};
