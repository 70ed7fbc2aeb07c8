import { readFileSync } from 'node:fs';
import type { Static } from 'typebox';
import { stringify } from 'yaml';
import { boolean, integer, listOf, oneOf, type Settings, text, url, type Values } from '#kit/config';
import { MintedBootstrapTokenSchema } from '#protocol/api';
import { AGENT_NAMESPACE, type AgentInstall, RBAC_MODES } from '#runtime/install/agent-install';
import { agentObjects } from '#runtime/install/agent-objects';
import { allowedKind } from '#runtime/install/allowed-kind';
import { upgradeDocuments } from '#runtime/install/upgrade-documents';
import packageJson from '../../../../../package.json' with { type: 'json' };
import { type ClientCommand, readClientCommand } from '../../../client/client-command.ts';
import { CLIENT_SETTINGS } from '../../../client/client-settings.ts';
import { EXIT, type ExitCode, type Io, UsageError } from '../../../command.ts';
import { contextIn } from '../../../config-file/cli-config.ts';
import { configFilePath, readConfigFile } from '../../../config-file/config-file.ts';
import { bootstrapTokenKind } from '../../../kinds/access/bootstrap-token-kind.ts';
import { PLACE_SETTINGS, placeOf } from '../../../kinds/place.ts';
import { OUTPUT_FORMATS, renderData } from '../../../output/render-data.ts';
import { renderTime } from '../../../output/render-time.ts';

const group = 'install-manifest';
const from = ['flag'] as const;
/** A caller in the notation of the platform. */
const API_USER = /^(user|serviceAccount):./;
const FORMATS = OUTPUT_FORMATS.filter((format) => format !== 'table');

export const INSTALL_SETTINGS = {
  platform: {
    kind: url(['https:', 'http:']),
    unset: 'the platform that this command talks to',
    sentence: 'The address of the platform for the cluster.',
    group,
    from,
  },
  image: {
    kind: text('IMAGE'),
    default: `fleetshift:${packageJson.version}`,
    sentence: 'The image of the agent.',
    group,
    from,
  },
  namespace: {
    kind: text('NAME'),
    default: AGENT_NAMESPACE,
    sentence: 'The namespace of the agent.',
    group,
    from,
  },
  rbac: {
    kind: oneOf(RBAC_MODES),
    default: 'restricted',
    sentence: 'The rights of the agent: some kinds, the same in some namespaces only, or everything.',
    group,
    from,
  },
  allow: {
    kind: listOf(allowedKind()),
    default: '',
    sentence: 'The kinds that it may deliver, instead of the default ones.',
    group,
    from,
  },
  namespaces: {
    kind: listOf(text('NAME')),
    default: '',
    sentence:
      'With --rbac namespaced: the namespaces that it may deliver to. With --api-proxy: those that deployers and admins may use. They must exist.',
    group,
    from,
  },
  'api-proxy': {
    kind: boolean(),
    default: 'false',
    sentence: 'Let users of the platform access the API of the cluster, with the rights of their role there.',
    group,
    from,
  },
  'api-proxy-users': {
    kind: listOf(text('NAME')),
    default: '',
    sentence:
      'Users with an identity of their own in the cluster, such as user:alice; with --rbac cluster-admin this applies to all.',
    group,
    from,
  },
  'network-policy': {
    kind: boolean(),
    default: 'true',
    sentence: 'Block connections from Pods to the agent: only its node may connect.',
    group,
    from,
  },
  token: {
    kind: boolean(),
    default: 'true',
    sentence: 'Create a bootstrap token for the cluster. Use --no-token if the cluster has already enrolled.',
    group,
    from,
  },
  'token-uses': {
    kind: integer({ min: 1, max: 10_000 }),
    default: '1',
    sentence: 'How many clusters may enrol with the manifest.',
    group,
    from,
  },
  'token-expires': {
    kind: text('DURATION'),
    unset: '1h',
    sentence: 'How long clusters may enrol with it, up to 30d.',
    group,
    from,
  },
  'as-deployment': {
    kind: boolean(),
    default: 'false',
    sentence: 'Print the manifest that a deployment delivers to upgrade existing agents, without secrets.',
    group,
    from,
  },
  output: { kind: oneOf(FORMATS), default: 'yaml', sentence: 'Output format; -o for short.', group, from },
  workspace: PLACE_SETTINGS.workspace,
  ...CLIENT_SETTINGS,
} as const satisfies Settings;

type InstallValues = Values<typeof INSTALL_SETTINGS>;

/** Standard output contains only the manifest for `kubectl apply -f -`. */
export async function installManifest(args: readonly string[], io: Io, signal: AbortSignal): Promise<ExitCode> {
  const command = readClientCommand({ settings: INSTALL_SETTINGS, expects: [], more: true }, args, io);
  const { values, positionals } = command;
  const [target, extra] = positionals;
  if (extra !== undefined)
    throw new UsageError(`unexpected argument "${extra}": a manifest is for one target; leave out the name for many`);
  if (values.asDeployment) {
    io.out(printed(values, upgradeDocuments(values)));
    return EXIT.ok;
  }
  checkRights(values, values.namespace);
  checkWords(values, target);
  const origin = await command.api.origin(signal);
  const minted = values.token ? await mintToken(command, target, signal) : undefined;
  const install: AgentInstall = {
    ...values,
    platform: values.platform?.origin ?? origin,
    target,
    token: minted?.token,
    authority: authorityFor(values, origin, io),
  };
  io.out(printed(values, agentObjects(install)));
  if (minted !== undefined) tellOf(minted, values.tokenUses, io);
  if (isOfThisMachine(install.platform)) {
    io.err(
      `${install.platform} is only reachable on this machine: name the address for the cluster with --platform.\n`,
    );
  }
  return EXIT.ok;
}

function tellOf({ name, expireTime }: Static<typeof MintedBootstrapTokenSchema>, uses: number, io: Io): void {
  const clusters = uses === 1 ? 'the cluster' : `up to ${uses} clusters`;
  io.err(`bootstraptoken/${name} created; apply this to ${clusters} with: kubectl apply -f -\n`);
  io.err(`It expires ${renderTime(expireTime)}, is secret, and is not shown again.\n`);
}

type Rights = Pick<AgentInstall, 'rbac' | 'namespaces' | 'apiProxy' | 'apiProxyUsers'>;

/** The schema of the chart has the same rules. */
export function checkRights({ rbac, namespaces, apiProxy, apiProxyUsers }: Rights, own: string): void {
  if (rbac === 'namespaced' && namespaces.length === 0) {
    throw new UsageError('--rbac namespaced requires --namespaces: those that it may deliver to');
  }
  if (rbac === 'restricted' && apiProxy && namespaces.length === 0) {
    throw new UsageError('--api-proxy requires --namespaces: those that deployers and admins of the platform may use');
  }
  if (namespaces.length > 0 && (rbac === 'cluster-admin' || (rbac === 'restricted' && !apiProxy))) {
    throw new UsageError('--namespaces requires --rbac namespaced, or --api-proxy without cluster-admin');
  }
  if (namespaces.includes(own))
    throw new UsageError(`--namespaces ${own}: the namespace of the agent is reserved for the agent`);
  if (apiProxyUsers.length > 0 && (!apiProxy || rbac === 'cluster-admin')) {
    throw new UsageError('--api-proxy-users requires --api-proxy without cluster-admin');
  }
  const odd = apiProxyUsers.find((user) => !API_USER.test(user));
  if (odd !== undefined)
    throw new UsageError(`--api-proxy-users ${odd}: expected user:NAME or serviceAccount:WORKSPACE/NAME`);
}

function checkWords({ tokenUses }: InstallValues, target: string | undefined): void {
  if (target !== undefined && tokenUses > 1) {
    throw new UsageError(`${target} is one cluster: leave out the name, or --token-uses`);
  }
}

async function mintToken(
  { api, values, contextWorkspace }: ClientCommand<typeof INSTALL_SETTINGS>,
  target: string | undefined,
  signal: AbortSignal,
) {
  const place = placeOf(bootstrapTokenKind, { workspace: values.workspace }, contextWorkspace);
  const { tokenUses: uses, tokenExpires: ttl } = values;
  const body = {
    uses,
    targetType: 'kubernetes',
    ...(target === undefined ? {} : { targets: [target] }),
    ...(ttl === undefined ? {} : { ttl }),
  };
  return await api.post(MintedBootstrapTokenSchema, { path: bootstrapTokenKind.list(place).path, body }, signal);
}

/** The authority that vouches for the platform here also does so in the cluster. */
function authorityFor(values: InstallValues, origin: string, { environment }: Io): string | undefined {
  if (values.caFile !== undefined) return readFileSync(values.caFile, 'utf8');
  const context = contextIn(readConfigFile(configFilePath(environment)), values.context);
  return context !== undefined && new URL(context.server).origin === origin ? context.ca : undefined;
}

function printed({ output }: InstallValues, objects: readonly object[]): string {
  // kubectl accepts only one JSON document, so several become a list.
  if (output === 'json') return renderData('json', { apiVersion: 'v1', kind: 'List', items: objects });
  return objects.map((object) => stringify(object, { aliasDuplicateObjects: false })).join('---\n');
}

/** Plain HTTP is allowed only there. */
function isOfThisMachine(platform: string): boolean {
  return platform.startsWith('http:');
}
