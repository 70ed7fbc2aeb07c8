import type { UplinkState } from '#contexts/channels';
import { connectLocal } from '#contexts/channels/adapters';
import { printHostPort } from '#kit/config';
import { inClusterConfig, isKubeError, KubeError } from '#kit/kube';
import { aborted, sleep } from '#kit/std';
import type { Logger } from '#kit/telemetry';
import { localEndpoint } from '#runtime/agent-process/local-endpoint';
import { stateLog } from '#runtime/agent-process/state-log';
import { apiUsers } from '#runtime/cluster-agent/cluster-settings';
import { ClusterHost } from '#runtime/cluster-agent/clusters/cluster-host';
import { type ClusterSource, fixedSource } from '#runtime/cluster-agent/clusters/cluster-source';
import { clusterConnector } from '#runtime/cluster-agent/clusters/connect-cluster';
import { nameByIdentity } from '#runtime/cluster-agent/clusters/name-by-identity';
import { listenMetrics, type MetricsListener } from '#runtime/fleetlet/metrics/metrics-listener';
import { processLog, type Surroundings } from '#runtime/process/process-command';
import { type AgentMetrics, agentMetrics } from './agent-metrics.ts';
import { type KubernetesAgentConfig, wantedClusters } from './config.ts';
import { KubeconfigFile } from './kubeconfig-file.ts';

export interface RunOptions extends Surroundings {
  readonly config: KubernetesAgentConfig;
}

/**
 * Runs until the signal aborts. Orders that were accepted but not completed are completed by the next agent that serves
 * the cluster.
 */
export async function runKubernetesAgent(options: RunOptions, signal: AbortSignal): Promise<void> {
  const { config, version, environment, err } = options;
  const log = processLog(config, err);
  const file = kubeconfigFile(config, environment, log);
  const clusters = await namedClusters(options, file, signal);

  let uplink: UplinkState = { kind: 'connecting' };
  const say = stateLog(log);
  const onState = (state: UplinkState): void => {
    uplink = state;
    say(state);
  };
  const client = connectLocal({ ...localEndpoint(config), process: 'kubernetes-agent', onState });
  const metrics: AgentMetrics = agentMetrics(() => host.states());
  const connect = clusterConnector({
    version,
    own: { namespace: config.agentNamespace },
    observe: metrics.observe,
    log,
  });
  const serving = config.kubeconfig === undefined ? 'colocated' : 'proxy';
  const host: ClusterHost = new ClusterHost({ client, serving, version, connect, apiUsers: apiUsers(config), log });
  const listener = await openListener(config, { host, metrics, uplink: () => uplink });

  const stop = new AbortController();
  const named = serveNamed({ host, log }, clusters, signal);
  log.info({ version, count: clusters.length }, 'serving');
  if (listener !== undefined) log.info({ address: printHostPort(listener.address) }, 'metrics');
  const running = Promise.all([client.run(stop.signal), file?.run(stop.signal)]);
  try {
    // Targets are deregistered while the connection to the fleetlet is still up.
    await Promise.race([running, Promise.all([host.run(signal), named])]);
  } finally {
    stop.abort();
    await Promise.all([running, listener?.close()]);
  }
  log.info({}, 'stopped');
}

interface NamedCluster {
  /** Absent if the cluster names itself. */
  readonly name: string | undefined;
  readonly source: ClusterSource;
}

function kubeconfigFile(
  { kubeconfig: file }: KubernetesAgentConfig,
  environment: RunOptions['environment'],
  log: Logger,
): KubeconfigFile | undefined {
  return file === undefined ? undefined : new KubeconfigFile({ file, environment, sleep, log });
}

/** A missing context ends the process at its start, before anything is registered. */
async function namedClusters(
  { config, environment }: RunOptions,
  file: KubeconfigFile | undefined,
  signal: AbortSignal,
): Promise<NamedCluster[]> {
  const wanted = wantedClusters(config);
  if (file === undefined) {
    const source = fixedSource((stop) => inClusterConfig({ environment }, stop));
    await source.read(signal).catch((cause: unknown) => {
      if (!isKubeError(cause, 'CONFIG_NOT_FOUND')) throw cause;
      throw new KubeError(cause.code, `${cause.message}; outside of a Pod, set --kubeconfig`, { cause });
    });
    return [{ name: wanted[0]?.name, source }];
  }
  if (wanted.length === 0) return [{ name: undefined, source: await file.context(undefined, signal) }];
  return await Promise.all(
    wanted.map(async ({ name, context }) => ({ name, source: await file.context(context, signal) })),
  );
}

/** A cluster that names itself has to be reached first. */
async function serveNamed(
  { host, log }: { readonly host: ClusterHost; readonly log: Logger },
  clusters: readonly NamedCluster[],
  signal: AbortSignal,
): Promise<void> {
  await Promise.all(
    clusters.map(async ({ name, source }) => {
      const called = name ?? (await nameByIdentity(source, log, signal));
      if (called !== undefined) host.serve(called, source);
    }),
  );
  await aborted(signal);
}

interface Watched {
  readonly host: ClusterHost;
  readonly metrics: AgentMetrics;
  readonly uplink: () => UplinkState;
}

async function openListener(
  { metricsListen: at }: KubernetesAgentConfig,
  { host, metrics, uplink }: Watched,
): Promise<MetricsListener | undefined> {
  if (at === undefined) return undefined;
  const { contentType } = metrics;
  return await listenMetrics({
    at,
    metrics: () => metrics.text(),
    contentType,
    isHealthy: () => healthOf(uplink(), host),
  });
}

/**
 * Healthy unless the fleetlet refuses this process. An unreachable cluster is listed, but is no reason to restart the
 * agent.
 */
function healthOf(state: UplinkState, host: ClusterHost): { readonly healthy: boolean; readonly text: string } {
  const clusters = [...host.states()].map(([name, its]) => {
    return 'message' in its ? `${name}: ${its.kind}: ${its.message}` : `${name}: ${its.kind}`;
  });
  const fleetlet = state.kind === 'refused' ? `fleetlet: refused: ${state.message}` : `fleetlet: ${state.kind}`;
  return { healthy: state.kind !== 'refused', text: [fleetlet, ...clusters].join('\n') };
}
