import {
  BadValue,
  COMMON_SETTINGS,
  hostPort,
  type Kind,
  listOf,
  path,
  type Resolved,
  resolveSettings,
  type Settings,
  text,
  type Values,
} from '#kit/config';
import { RESOURCE_NAME_PATTERN } from '#kit/std';
import {
  AGENT_PROCESS_SETTINGS,
  checkFleetletEndpoint,
  FLEETLET_ENDPOINT_SETTINGS,
} from '#runtime/agent-process/agent-settings';
import { CLUSTER_SETTINGS } from '#runtime/cluster-agent/cluster-settings';
import { type ConfigSources, IGNORED_VARIABLES } from '#runtime/process/process-command';

/** A target, and its context in the kubeconfig; for the Pod's own cluster only the name. */
export interface WantedCluster {
  readonly name: string;
  readonly context: string | undefined;
}

/** All settings of `fleetshift agent kubernetes`. */
export const KUBERNETES_AGENT_SETTINGS = {
  ...FLEETLET_ENDPOINT_SETTINGS,
  kubeconfig: {
    kind: path(),
    unset: 'the cluster this Pod runs in',
    sentence: 'Kubeconfig with the clusters to serve. Reloaded when it changes.',
    group: 'Clusters',
  },
  target: {
    kind: listOf(wantedCluster()),
    default: '',
    sentence:
      'A target and its context, as name=context; repeat for several. In a Pod only the name; by default k8s- and the first characters of the UID of kube-system.',
    group: 'Clusters',
  },
  context: {
    kind: listOf(text('CONTEXT')),
    default: '',
    sentence: 'A context to serve as a target of the same name; repeat for several.',
    group: 'Clusters',
    // FLEETSHIFT_CONTEXT belongs to the CLI, and means a platform.
    variable: 'FLEETSHIFT_KUBE_CONTEXT',
  },
  ...CLUSTER_SETTINGS,
  'metrics-listen': {
    kind: hostPort(),
    unset: 'not',
    sentence: 'Address of /healthz and /metrics. Port 0 picks a free port.',
    group: 'Process',
  },
  ...AGENT_PROCESS_SETTINGS,
  ...COMMON_SETTINGS,
} as const satisfies Settings;

export type KubernetesAgentConfig = Values<typeof KUBERNETES_AGENT_SETTINGS>;

export function resolveKubernetesAgentConfig(sources: ConfigSources): Resolved<typeof KUBERNETES_AGENT_SETTINGS> {
  return resolveSettings({
    settings: KUBERNETES_AGENT_SETTINGS,
    ignoredVariables: IGNORED_VARIABLES,
    check,
    ...sources,
  });
}

/** The configured clusters. If none is configured, the single available cluster is served, and it names itself. */
export function wantedClusters({
  target,
  context,
}: Pick<KubernetesAgentConfig, 'target' | 'context'>): WantedCluster[] {
  return [...target, ...context.map((name) => ({ name, context: name }))];
}

type Refuse = (name: keyof typeof KUBERNETES_AGENT_SETTINGS, why: string) => void;

function check(config: KubernetesAgentConfig, refuse: Refuse): void {
  const { kubeconfig, target, context, printConfig } = config;
  if (printConfig) return;
  checkFleetletEndpoint(config, refuse);
  for (const each of context) {
    if (!isName(each)) refuse('context', `${each} is not a valid target name; use --target NAME=${each}`);
  }
  if (kubeconfig === undefined) {
    if (context.length > 0) refuse('context', 'needs --kubeconfig');
    if (target.length > 1) refuse('target', 'names several targets, but a Pod runs in one cluster; set --kubeconfig');
    if (target.some((each) => each.context !== undefined)) refuse('target', 'names a context; set --kubeconfig');
    return;
  }
  if (target.some((each) => each.context === undefined)) refuse('target', 'has no context; use name=context');
  const wanted = wantedClusters(config);
  if (new Set(wanted.map(({ name }) => name)).size < wanted.length) refuse('target', 'names a target twice');
  const contexts = wanted.map((each) => each.context);
  if (new Set(contexts).size < contexts.length) refuse('target', 'names a context twice');
}

function isName(name: string): boolean {
  return new RegExp(RESOURCE_NAME_PATTERN).test(name) && name.length <= 63;
}

function wantedCluster(): Kind<WantedCluster> {
  return {
    placeholder: 'NAME=CONTEXT',
    expects: 'the name of a target, and with a kubeconfig its context, such as web-1=admin@web',
    parse(given) {
      const at = given.indexOf('=');
      const [name, context] = at < 0 ? [given, undefined] : [given.slice(0, at), given.slice(at + 1)];
      if (!isName(name) || context === '') throw new BadValue(`is not ${this.expects}`);
      return { name, context };
    },
    print: ({ name, context }) => (context === undefined ? name : `${name}=${context}`),
  };
}
