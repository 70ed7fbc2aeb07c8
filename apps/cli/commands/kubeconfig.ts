import { helpText, suggestion } from '#kit/config';
import { type Command, UsageError } from '../command.ts';
import { GENERATE_SETTINGS, generateKubeconfig } from './kubeconfig/generate-kubeconfig.ts';

const SUMMARY = `Lets kubectl, and whatever else reads kubeconfigs, reach clusters through the platform.

  generate TARGET...  makes a context fleetshift-TARGET for each of them, or for --all, in a kubeconfig: on standard output,
                      in a file, or in that which kubectl uses anyway

What it makes holds no token: kubectl runs "fleetshift auth token" for it.`;

export const kubeconfig: Command = {
  help: () =>
    helpText({
      usage: 'fleetshift kubeconfig generate [TARGET...] [flags]',
      summary: SUMMARY,
      settings: GENERATE_SETTINGS,
    }),
  async run([word, ...args], io, signal) {
    if (word === 'generate') return await generateKubeconfig(args, io, signal);
    if (word === undefined) throw new UsageError('say what to do: generate');
    const known = suggestion(word, ['generate']);
    throw new UsageError(
      `"${word}" cannot be done with kubeconfigs${known}\nfleetshift kubeconfig --help says what can`,
    );
  },
};
