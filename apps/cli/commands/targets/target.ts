import { helpText, suggestion } from '#kit/config';
import { type Command, type ExitCode, type Io, UsageError } from '../../command.ts';
import { cordon, uncordon } from './cordon.ts';
import { ADD_SETTINGS } from './target/add-settings.ts';
import { BOOTSTRAP_SET_SETTINGS } from './target/bootstrap-resource-set-settings.ts';
import { ENROLL_SETTINGS, enrollTarget } from './target/enroll-target.ts';
import { INSTALL_SETTINGS, installManifest } from './target/install-manifest.ts';
import { PASSTHROUGH_SETTINGS, passThrough } from './target/pass-through.ts';
import { MERGE_SETTINGS, merge, REIDENTIFY_SETTINGS, reidentify } from './target/same-cluster.ts';

type Verb = (args: readonly string[], io: Io, signal: AbortSignal) => Promise<ExitCode>;

const VERBS: Readonly<Record<string, Verb>> = {
  // Loaded on demand: no other command talks to clusters.
  add: async (args, io, signal) => await (await import('./target/add-targets.ts')).addTargets(args, io, signal),
  enroll: enrollTarget,
  'install-manifest': installManifest,
  'bootstrap-resource-set': async (args, io, signal) =>
    await (await import('./target/bootstrap-resource-set.ts')).bootstrapSet(args, io, signal),
  passthrough: passThrough,
  merge,
  reidentify,
  cordon: (args, io, signal) => cordon.run(args, io, signal),
  uncordon: (args, io, signal) => uncordon.run(args, io, signal),
};

const SUMMARY = `Adds machines and clusters, and controls what is delivered to them.

  add               creates targets for the clusters in your kubeconfig: the platform serves them
                    directly, and nothing is installed there
  enroll [NAME...]  creates a bootstrap token, and prints the command that a machine enrols with;
                    with names, the token is for these targets only
  install-manifest [NAME]
                    prints the manifest that makes a cluster a target, for "kubectl apply -f -"; the Helm
                    chart deploy/charts/fleetshift-agent does the same
  bootstrap-resource-set NAME
                    creates a ClusterResourceSet of Cluster API, which makes each matching cluster
                    a target
  passthrough NAME  passes tokens of one issuer and audience on to the API server unchanged
  merge NAME --into NAME
                    makes a target an alias of the one that has the same cluster
  reidentify NAME...
                    tells a cluster from the one that it is a copy of
  cordon NAME...    stops new deployments to targets; existing ones stay
  uncordon NAME...  allows new deployments to them again

"fleetshift get bootstrap-tokens" lists the tokens, "fleetshift get fleetlets" the enrolled fleetlets.`;

export const target: Command = {
  help: () =>
    [
      helpText({
        usage:
          'fleetshift target add|enroll|install-manifest|bootstrap-resource-set|passthrough|merge|reidentify|cordon|uncordon [NAME...] [flags]',
        summary: SUMMARY,
        settings: { ...INSTALL_SETTINGS, ...ENROLL_SETTINGS },
      }),
      helpText({
        usage: 'fleetshift target add [--context CONTEXT]... [--all-contexts] [flags]',
        summary: 'Repeating it changes nothing; with another kubeconfig, the platform switches to that.',
        settings: ADD_SETTINGS,
      }),
      helpText({
        usage: 'fleetshift target bootstrap-resource-set NAME --selector KEY=VALUE [--apply] [flags]',
        summary: `Each cluster enrols as its own target, named after the cluster, with the label fleetshift.io/correlation=NAME.
Running it again with a later token is for future clusters.`,
        settings: BOOTSTRAP_SET_SETTINGS,
      }),
      helpText({
        usage: 'fleetshift target passthrough NAME --issuer NAME --audience AUDIENCE|--clear [flags]',
        summary:
          'Requires targets.passthrough on the root workspace. The platform itself must not accept the audience.',
        settings: PASSTHROUGH_SETTINGS,
      }),
      helpText({
        usage: 'fleetshift target merge NAME... --into NAME [flags]',
        summary: `For a target that is refused because another one has the same cluster: its agent serves that one from then on. The
alias leaves every placement, and nothing is removed from the cluster. Requires targets.merge on both.`,
        settings: MERGE_SETTINGS,
      }),
      helpText({
        usage: 'fleetshift target reidentify NAME... [flags]',
        summary: `For a target that is refused because another one has the same cluster, though it is a copy of that: a cluster that
was restored beside its original. The agent stores an id in its cluster, and is served from then on.`,
        settings: REIDENTIFY_SETTINGS,
      }),
    ].join('\n'),
  async run([word, ...args], io, signal) {
    if (word === undefined) throw new UsageError(`missing action: one of ${Object.keys(VERBS).join(', ')}`);
    const verb = Object.hasOwn(VERBS, word) ? VERBS[word] : undefined;
    if (verb !== undefined) return await verb(args, io, signal);
    const known = suggestion(word, Object.keys(VERBS));
    throw new UsageError(`unknown action "${word}"${known}\nsee: fleetshift target --help`);
  },
};
