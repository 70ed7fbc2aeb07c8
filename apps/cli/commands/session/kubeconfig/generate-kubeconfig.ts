import { resolve } from 'node:path';
import { boolean, path, type Resolved, type Settings, text, url } from '#kit/config';
import { TargetSchema } from '#protocol/api';
import { ApiClient } from '../../../client/api-client.ts';
import { CLIENT_SETTINGS } from '../../../client/client-settings.ts';
import { readPages } from '../../../client/read-pages.ts';
import { EXIT, type ExitCode, type Io, UsageError } from '../../../command.ts';
import { PLACE_SETTINGS } from '../../../kinds/place.ts';
import { type FoundConnection, findConnection } from '../auth/find-connection.ts';
import { contextName, type KubeconfigEntries, kubeconfigEntries } from './kubeconfig-entries.ts';
import { changeKubeconfig, usualKubeconfig } from './kubeconfig-file.ts';
import { kubectlServer } from './kubectl-server.ts';
import { mergeKubeconfig } from './merge-kubeconfig.ts';

const group = 'generate';
const from = ['flag'] as const;

export const GENERATE_SETTINGS = {
  all: { kind: boolean(), default: 'false', sentence: 'For all Kubernetes targets that you may see.', group, from },
  merge: {
    kind: boolean(),
    default: 'false',
    sentence: 'Write into the kubeconfig that kubectl uses: the first of KUBECONFIG, or ~/.kube/config.',
    group,
    from,
  },
  output: {
    kind: path(),
    unset: 'standard output',
    sentence: 'Write into this file and keep its other entries; -o for short.',
    group,
    from,
  },
  'kubectl-server': {
    kind: url(['https:']),
    unset: 'the server of the CLI, or the TLS address of a platform on this machine',
    sentence: 'The TLS address of the platform for kubectl.',
    group,
    from,
  },
  command: {
    kind: text('PROGRAM'),
    default: 'fleetshift',
    sentence: 'The program that kubectl runs to get the credential.',
    group,
    from,
  },
  workspace: PLACE_SETTINGS.workspace,
  subtree: PLACE_SETTINGS.subtree,
  ...CLIENT_SETTINGS,
} as const satisfies Settings;

type Values = Resolved<typeof GENERATE_SETTINGS>['values'];

export async function generateKubeconfig(args: readonly string[], io: Io, signal: AbortSignal): Promise<ExitCode> {
  const found = findConnection(GENERATE_SETTINGS, args, io);
  const { values, positionals } = found;
  if (values.merge && values.output !== undefined) throw new UsageError('--merge and --output: choose one');
  if (values.all === positionals.length > 0) throw new UsageError('name targets, or use --all');
  const targets = await targetsFor(found, positionals, signal);
  if (targets.length === 0) {
    io.err('no Kubernetes target found that you may see\n');
    return EXIT.notFound;
  }
  const entries = await entriesFor(found, { targets, io }, signal);
  const file = values.merge ? usualKubeconfig(io.environment) : values.output && resolve(values.output);
  if (file === undefined) {
    io.out(mergeKubeconfig('', entries));
    return EXIT.ok;
  }
  await changeKubeconfig(file, (before) => mergeKubeconfig(before, entries), signal);
  const first = contextName(targets[0] ?? '');
  io.err(`${targets.length === 1 ? '1 context is' : `${targets.length} contexts are`} in ${file}; try:\n`);
  io.err(`kubectl ${values.merge ? '' : `--kubeconfig ${file} `}--context ${first} get nodes\n`);
  return EXIT.ok;
}

type Found = FoundConnection<typeof GENERATE_SETTINGS>;

async function targetsFor({ connect, values, contextWorkspace }: Found, names: readonly string[], signal: AbortSignal) {
  const api = new ApiClient(connect);
  if (values.all) {
    const workspace = values.workspace ?? contextWorkspace;
    const query = {
      type: 'kubernetes',
      ...(workspace === undefined ? {} : { workspace, subtree: values.subtree || undefined }),
    };
    const { items } = await readPages(api, { item: TargetSchema, call: { path: ['targets'], query } }, signal);
    return items.map(({ name }) => name);
  }
  const distinct = [...new Set(names)];
  for (const name of distinct) {
    const { type } = await api.get(TargetSchema, { path: ['targets', name] }, signal);
    if (type !== 'kubernetes') throw new UsageError(`${name} is a target of type ${type}, which kubectl cannot access`);
  }
  return distinct;
}

async function entriesFor(
  found: Found,
  { targets, io }: { readonly targets: readonly string[]; readonly io: Io },
  signal: AbortSignal,
): Promise<KubeconfigEntries> {
  const { values } = found;
  const { server, authority } = await found.connect(signal);
  const context = found.context();
  const kubectl = await kubectlServer({ said: values.kubectlServer, server, authority, data: values.data }, signal);
  const { FLEETSHIFT_CONFIG: config } = io.environment;
  return kubeconfigEntries({
    ...kubectl,
    targets,
    login: context?.name ?? server.host,
    command: values.command,
    args: context === undefined ? flagsOf(values, server) : ['--context', context.name, ...tokenFile(values)],
    environment: config === undefined || config === '' ? {} : { FLEETSHIFT_CONFIG: resolve(config) },
  });
}

/** The flags of this command, repeated for the credential plugin: kubectl runs elsewhere and without them. */
function flagsOf(values: Values, server: URL): string[] {
  return [
    '--server',
    server.href,
    ...tokenFile(values),
    ...(values.tokenFile === undefined ? ['--data', resolve(values.data)] : []),
  ];
}

function tokenFile({ tokenFile: file }: Values): string[] {
  return file === undefined ? [] : ['--token-file', resolve(file)];
}
