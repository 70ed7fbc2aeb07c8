import { embeddedBindings } from '#contexts/enrolment/adapters';
import type { AddressRules, Speakers, TargetDirectory } from '#contexts/proxied-clusters';
import { openProxiedClusters, type ProxiedClusters, proxiedClustersInTree } from '#contexts/proxied-clusters/adapters';
import { type AddonTypes, targetNotFound } from '#contexts/targets';
import { findTargetNode, targetPool } from '#contexts/targets/adapters';
import { checkAddress, type Environment, isKubeError, parseKubeConfig } from '#kit/kube';
import type { Runnable } from '#kit/reconcile';
import type { Sealer } from '#kit/sealing';
import { uuidv7 } from '#kit/std';
import type { Reader, Storage, Transaction } from '#kit/storage';
import type { Logger, Metrics } from '#kit/telemetry';
import type { DialGuard } from '#kit/transport/dial';
import type { ClusterState } from '#runtime/cluster-agent/clusters/cluster-state';
import { clusterConnector } from '#runtime/cluster-agent/clusters/connect-cluster';
import type { Fleetlets } from '../channels/open-fleetlets.ts';
import { placeDirectory } from '../enrolment/place-directory.ts';
import { targetRegistrar } from '../enrolment/target-registrar.ts';
import type { Leadership } from '../leadership/leadership.ts';
import { proxyAgent } from './proxy-agent.ts';

export interface OpenProxyAgentDeps {
  readonly storage: Storage;
  readonly sealer: Sealer;
  readonly fleetlets: Pick<Fleetlets, 'connectWithin'>;
  readonly addonTypes: AddonTypes;
  readonly leadership: Pick<Leadership, 'lead' | 'whileLeading'>;
  readonly version: string;
  readonly environment: Environment;
  /** Users write the kubeconfigs, so their addresses are guarded. */
  readonly guard: DialGuard;
  readonly metrics: Metrics;
  readonly log: Logger;
}

/** Clusters that the platform serves itself. */
export interface ProxyAgent {
  readonly routes: ProxiedClusters['routes'];
  readonly runnables: readonly Runnable[];
}

/** Where agents store their state in a cluster: the same for all, so that they can take over from each other. */
const NAMESPACE = 'fleetshift-system';

const RESOLVE_MS = 5_000;

/** Its part in deleting a target. */
export const PROXIED_IN_TREE = { targets: proxiedClustersInTree };

export function openProxyAgent(deps: OpenProxyAgentDeps): ProxyAgent {
  const { storage, sealer, fleetlets, addonTypes, metrics } = deps;
  const log = deps.log.child({ component: 'proxied-clusters' });
  const speakers = speakersIn(addonTypes);
  const addresses = addressRules(deps);
  const clusters = openProxiedClusters({ storage, sealer, targets: targetsIn, speakers, addresses, log });
  const connect = clusterConnector({ version: deps.version, own: { namespace: NAMESPACE }, guard: deps.guard, log });
  const { connectWithin } = fleetlets;
  const onStates = stateGauge(metrics);
  return {
    routes: clusters.routes,
    runnables: [proxyAgent({ ...deps, clusters, connect, connectWithin, onStates, log })],
  };
}

/** A name that cannot be resolved now may be resolvable later: it is checked again at every connect. */
function addressRules({ guard, environment }: Pick<OpenProxyAgentDeps, 'guard' | 'environment'>): AddressRules {
  return {
    whyRefused: async (kubeconfig, signal) => {
      const config = parseKubeConfig(kubeconfig.reveal(), { environment });
      const late = AbortSignal.timeout(RESOLVE_MS);
      try {
        await checkAddress(config, guard, AbortSignal.any([signal, late]));
      } catch (error) {
        if (isKubeError(error, 'ADDRESS_REFUSED')) return error.message;
        if (!isKubeError(error) && !late.aborted) throw error;
      }
      return undefined;
    },
  };
}

/** Adapts targets to the port of proxied clusters. */
function targetsIn(reader: Reader): TargetDirectory {
  return {
    require: async (name, signal) => {
      const node = await findTargetNode(reader, name);
      const [target] = node === undefined ? [] : await targetPool(reader).find([node.uid], signal);
      if (target === undefined) throw targetNotFound(name);
      return { uid: target.id, name: target.name, type: target.type };
    },
  };
}

/** Binds the targets that the platform serves to the fleetlet inside it. */
function speakersIn(addonTypes: AddonTypes): (tx: Transaction) => Speakers {
  const targets = targetRegistrar(addonTypes);
  return (tx) => {
    const bindings = embeddedBindings(tx, { newId: uuidv7, targets, workspaces: placeDirectory });
    return {
      add: ({ name }, now, signal) => bindings.bind(name, now, signal),
      remove: ({ name }, now, signal) => bindings.unbind(name, now, signal),
    };
  };
}

const STATES = ['Connecting', 'Registering', 'Serving', 'StandingBy', 'Unreachable', 'Refused'] as const;

function stateGauge(metrics: Metrics): (states: ReadonlyMap<string, ClusterState>) => void {
  const gauge = metrics.gauge({
    name: 'fleetshift_proxied_clusters',
    help: 'Clusters that this process has to serve by a kubeconfig, by state.',
    labels: ['state'],
  });
  return (states) => {
    for (const state of STATES) {
      gauge.set({ state }, [...states.values()].filter(({ kind }) => kind === state).length);
    }
  };
}
