import { listOf, oneOf, type Resolved, resolveSettings, type Settings, text, type Values } from '#kit/config';
import { CLUSTER_SETTINGS } from '#runtime/cluster-agent/cluster-settings';
import { checkFleetlet, FLEETLET_SETTINGS, IGNORED_VARIABLES } from '#runtime/fleetlet/config';
import type { ConfigSources } from '#runtime/process/process-command';

const COMPANIONS = ['kubernetes'] as const;
const KUBERNETES = 'With kubernetes';

/** All settings of `fleetshift fleetlet`, with or without an embedded agent. */
export const FLEETLET_WITH_SETTINGS = {
  ...FLEETLET_SETTINGS,
  with: {
    kind: listOf(oneOf(COMPANIONS)),
    default: '',
    sentence:
      'Agents to run in the same process. kubernetes serves the cluster this Pod runs in; its target is --target, or k8s- and the first characters of the UID of kube-system.',
    group: 'Local processes',
  },
  'agent-namespace': { ...CLUSTER_SETTINGS['agent-namespace'], group: KUBERNETES },
  'api-proxy-users': { ...CLUSTER_SETTINGS['api-proxy-users'], group: KUBERNETES },
  'agent-image': {
    kind: text('REPOSITORY'),
    unset: 'none: no deployment can change the agent',
    sentence:
      "The agent's image, without tag or digest. A deployment may deliver the agent's own Deployment with another version of this image, and nothing else into the namespace of the agent.",
    group: KUBERNETES,
  },
  'identity-secret': {
    kind: text('NAME'),
    unset: 'none: only in --data',
    sentence:
      'Secret in the namespace of the agent that stores the identity of this fleetlet, because the data folder of a Pod is lost with the Pod.',
    group: KUBERNETES,
  },
  'pod-token-audience': {
    kind: listOf(text('AUDIENCE')),
    default: 'fleetlet',
    sentence: 'Required audience of the service account tokens that Pods present over --listen-tcp.',
    group: KUBERNETES,
  },
} as const satisfies Settings;

export type FleetletWithConfig = Values<typeof FLEETLET_WITH_SETTINGS>;

export function resolveFleetletWithConfig(sources: ConfigSources): Resolved<typeof FLEETLET_WITH_SETTINGS> {
  return resolveSettings({
    settings: FLEETLET_WITH_SETTINGS,
    ignoredVariables: IGNORED_VARIABLES,
    check: (config, refuse) => {
      const isWithin = config.with.includes('kubernetes');
      checkFleetlet(config, refuse, isWithin);
      const clusters = config.target.filter(({ type }) => type === 'kubernetes');
      if (isWithin && clusters.length > 1) refuse('target', 'names several clusters, but a Pod runs in one');
    },
    ...sources,
  });
}
