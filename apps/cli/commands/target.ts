import { helpText, suggestion } from '#kit/config';
import { type Command, type ExitCode, type Io, UsageError } from '../command.ts';
import { cordon, uncordon } from './cordon.ts';
import { ADD_SETTINGS } from './target/add-settings.ts';
import { BOOTSTRAP_SET_SETTINGS } from './target/bootstrap-resource-set-settings.ts';
import { ENROLL_SETTINGS, enrollTarget } from './target/enroll-target.ts';
import { INSTALL_SETTINGS, installManifest } from './target/install-manifest.ts';
import { PASSTHROUGH_SETTINGS, passThrough } from './target/pass-through.ts';

type Verb = (args: readonly string[], io: Io, signal: AbortSignal) => Promise<ExitCode>;

const VERBS: Readonly<Record<string, Verb>> = {
  // Loaded when it is asked for: nothing else here speaks with clusters.
  add: async (args, io, signal) => await (await import('./target/add-targets.ts')).addTargets(args, io, signal),
  enroll: enrollTarget,
  'install-manifest': installManifest,
  'bootstrap-resource-set': async (args, io, signal) =>
    await (await import('./target/bootstrap-resource-set.ts')).bootstrapSet(args, io, signal),
  passthrough: passThrough,
  cordon: (args, io, signal) => cordon.run(args, io, signal),
  uncordon: (args, io, signal) => uncordon.run(args, io, signal),
};

const SUMMARY = `Lets machines and clusters come in, and steers what they are delivered.

  add               makes targets of the clusters in your kubeconfig, at once: the platform serves them
                    by itself, and nothing is installed there
  enroll [NAME...]  makes a bootstrap token, and prints the command that a machine enrols with;
                    with names, the token is for these targets only
  install-manifest [NAME]
                    prints what "kubectl apply -f -" makes a cluster a target with; the Helm chart
                    deploy/charts/fleetshift-agent says the same
  bootstrap-resource-set NAME
                    makes a ClusterResourceSet of Cluster API, which makes a target of each cluster
                    that it matches
  passthrough NAME  lets tokens of one issuer and audience go to the API server as they are
  cordon NAME...    lets targets keep what they have, and get nothing new
  uncordon NAME...  lets them get new things again

"fleetshift get bootstrap-tokens" lists the tokens, "fleetshift get fleetlets" who has enrolled.`;

export const target: Command = {
  help: () =>
    [
      helpText({
        usage:
          'fleetshift target add|enroll|install-manifest|bootstrap-resource-set|passthrough|cordon|uncordon [NAME...] [flags]',
        summary: SUMMARY,
        settings: { ...INSTALL_SETTINGS, ...ENROLL_SETTINGS },
      }),
      helpText({
        usage: 'fleetshift target add [--context CONTEXT]... [--all-contexts] [flags]',
        summary: 'The same again changes nothing; with another kubeconfig, the platform goes on with that.',
        settings: ADD_SETTINGS,
      }),
      helpText({
        usage: 'fleetshift target bootstrap-resource-set NAME --selector KEY=VALUE [--apply] [flags]',
        summary: `Each cluster enrols as a target of its own, named after itself, with the label fleetshift.io/correlation=NAME.
The same again, with a later token, is for clusters that are yet to come.`,
        settings: BOOTSTRAP_SET_SETTINGS,
      }),
      helpText({
        usage: 'fleetshift target passthrough NAME --issuer NAME --audience AUDIENCE|--clear [flags]',
        summary:
          'Needs targets.passthrough on the root workspace. The audience is one that the platform does not accept.',
        settings: PASSTHROUGH_SETTINGS,
      }),
    ].join('\n'),
  async run([word, ...args], io, signal) {
    if (word === undefined) throw new UsageError(`say what to do: ${Object.keys(VERBS).join(', ')}`);
    const verb = Object.hasOwn(VERBS, word) ? VERBS[word] : undefined;
    if (verb !== undefined) return await verb(args, io, signal);
    const known = suggestion(word, Object.keys(VERBS));
    throw new UsageError(`"${word}" cannot be done with targets${known}\nfleetshift target --help lists what can`);
  },
};
