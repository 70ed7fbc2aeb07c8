import { connectLocal } from '#contexts/channels/adapters';
import type { OwnPlace } from '#contexts/kubernetes';
import { createKubeClient, inClusterConfig } from '#kit/kube';
import { sleep } from '#kit/std';
import { apiUsers } from '#runtime/cluster-agent/cluster-settings';
import { ClusterHost } from '#runtime/cluster-agent/clusters/cluster-host';
import { fixedSource } from '#runtime/cluster-agent/clusters/cluster-source';
import { clusterConnector } from '#runtime/cluster-agent/clusters/connect-cluster';
import { nameByIdentity } from '#runtime/cluster-agent/clusters/name-by-identity';
import { createTokenReviewAuthenticator } from '#runtime/cluster-agent/token-review';
import { type RunOptions, runFleetlet } from '#runtime/fleetlet/run';
import { AGENT, AGENT_CONTAINER } from '#runtime/install/agent-install';
import { IdentitySecret } from '#runtime/install/identity-secret';
import { processLog } from '#runtime/process/process-command';
import type { FleetletWithConfig } from './config.ts';

export interface RunWithOptions extends Omit<RunOptions, 'config' | 'callers' | 'beside'> {
  readonly config: FleetletWithConfig;
}

const TYPE = 'kubernetes';

/** Runs until the signal aborts. The cluster has to answer once, so that its identity is known. */
export async function runFleetletWithKubernetes(options: RunWithOptions, signal: AbortSignal): Promise<void> {
  const { config, environment, version, err } = options;
  const log = processLog(config, err);
  const source = fixedSource((stop) => inClusterConfig({ environment }, stop));
  const kube = createKubeClient({ config: await source.read(signal), userAgent: `fleetshift-fleetlet/${version}` });
  try {
    const { identitySecret, agentNamespace: namespace, data: folder } = config;
    const identity =
      identitySecret && new IdentitySecret({ client: kube, namespace, name: identitySecret, folder, sleep, log });
    if (identity) await identity.restore(signal);
    const named = config.target.find(({ type }) => type === TYPE)?.name;
    const name = named ?? (await nameByIdentity(source, log, signal));
    if (name === undefined) return;
    const target = named === undefined ? [...config.target, { name, type: TYPE }] : config.target;
    const callers = createTokenReviewAuthenticator({ client: kube, audiences: config.podTokenAudience });
    await runFleetlet(
      {
        ...options,
        config: { ...config, target },
        callers,
        ...(identity && { keeper: identity }),
        beside: async ({ socket }, its, stop) => {
          const connect = clusterConnector({ version, own: ownPlace(config), log: its });
          const client = connectLocal({ to: { path: socket }, process: 'kubernetes-agent' });
          const host = new ClusterHost({
            client,
            serving: 'colocated',
            version,
            connect,
            apiUsers: apiUsers(config),
            log: its,
          });
          host.serve(name, source);
          await Promise.all([serve({ client, host }, stop), identity && identity.run(stop)]);
        },
      },
      signal,
    );
  } finally {
    await kube.close();
  }
}

/** A deployment may roll out another version of the image that the agent was installed with. */
function ownPlace({ agentNamespace: namespace, agentImage: repository }: FleetletWithConfig): OwnPlace {
  if (repository === undefined) return { namespace };
  return { namespace, upgrade: { deployment: AGENT, container: AGENT_CONTAINER, repository } };
}

interface Serving {
  readonly client: { run(signal: AbortSignal): Promise<void> };
  readonly host: ClusterHost;
}

/** The target is deregistered while the connection to the fleetlet is still up. */
async function serve({ client, host }: Serving, signal: AbortSignal): Promise<void> {
  const stop = new AbortController();
  const running = client.run(stop.signal);
  try {
    await Promise.race([running, host.run(signal)]);
  } finally {
    stop.abort();
    await running;
  }
}
