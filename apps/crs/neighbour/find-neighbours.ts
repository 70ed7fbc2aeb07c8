import {
  CORE,
  type CollectionRef,
  isKubeError,
  type KubeClient,
  type KubeObject,
  listAll,
  type Resource,
} from '#kit/kube';
import type { Clock, Sleep } from '#kit/std';
import type { Logger } from '#kit/telemetry';
import type { Neighbour, Scope } from './kept-apart.ts';

export interface FindDeps {
  readonly client: KubeClient;
  readonly sleep: Sleep;
  /** Wall clock: compared with times written by API servers. */
  readonly clock: Clock;
  readonly log: Logger;
}

interface Deployment extends KubeObject {
  readonly spec?: {
    readonly replicas?: number;
    readonly template?: { readonly spec?: { readonly containers?: readonly Container[] } };
  };
}

interface Container {
  readonly command?: readonly string[];
  readonly args?: readonly string[];
}

interface Lease extends KubeObject {
  readonly spec?: {
    readonly holderIdentity?: string;
    readonly leaseDurationSeconds?: number;
    readonly renewTime?: string;
  };
}

/** The label that clusterctl puts on all objects of Cluster API's own manager, and of no other provider. */
const PROVIDER = 'cluster.x-k8s.io/provider=cluster-api';
/** The name is hard-coded in Cluster API; the namespace is the one it runs in. */
const LEASE = 'controller-leader-election-capi';
const USUAL_NAMESPACE = 'capi-system';
/** Prefix of the field manager that the API server derives from our user agent. */
const OURS = 'fleetshift';
const RECENT_MS = 120_000;
const LOOK_AGAIN_MS = 2_000;

/** Running managers of Cluster API: their Deployments, and leases that are being renewed. */
export async function findNeighbours(deps: FindDeps, signal: AbortSignal): Promise<readonly Neighbour[]> {
  const deployments = await everywhere<Deployment>(deps, CORE.deployments, { labelSelector: PROVIDER }, signal);
  const running = deployments.filter(({ spec }) => (spec?.replicas ?? 1) > 0);
  const explained = new Set(running.map(({ metadata }) => metadata.namespace));
  const held = (await leasesOf(deps, signal)).filter(({ metadata }) => !explained.has(metadata.namespace));
  const renewed = held.length === 0 ? [] : await renewedOf(deps, held, signal);
  return [...running.map(fromDeployment), ...renewed.map(fromLease)];
}

/**
 * A manager outside of the cluster without leader election leaves only traces. Only a controller of sets writes their
 * status, so a recent writer is one. Checked if nothing else is found.
 */
export async function findWriter(
  { client, clock }: FindDeps,
  sets: CollectionRef,
  signal: AbortSignal,
): Promise<Neighbour | undefined> {
  const since = clock.now() - RECENT_MS;
  const map = (object: KubeObject): KubeObject => withStatusWrites(object, since);
  const { items } = await listAll<KubeObject>(client, sets, { map }, signal);
  for (const { metadata } of items) {
    const { namespace = '', name = '', managedFields = [] } = metadata;
    const [write] = managedFields;
    if (write === undefined) continue;
    const { manager = '', time = '' } = write;
    const found = `${manager} wrote the status of ClusterResourceSet ${namespace}/${name} at ${time}`;
    return { found, scope: undefined };
  }
  return undefined;
}

/** Everything else is dropped: there may be many. */
function withStatusWrites({ apiVersion, kind, metadata }: KubeObject, since: number): KubeObject {
  const managedFields = (metadata.managedFields ?? []).filter(
    ({ manager = '', subresource, time = '' }) =>
      subresource === 'status' && !manager.startsWith(OURS) && Date.parse(time) >= since,
  );
  const { name = '', namespace = '' } = metadata;
  return { apiVersion, kind, metadata: { name, namespace, managedFields } };
}

async function leasesOf(deps: FindDeps, signal: AbortSignal): Promise<readonly Lease[]> {
  const options = { fieldSelector: `metadata.name=${LEASE}` };
  const leases = await everywhere<Lease>(deps, CORE.leases, options, signal);
  return leases.filter(({ spec }) => (spec?.holderIdentity ?? '') !== '');
}

/**
 * DECISION: a lease is alive if we see it change within its own duration. Its timestamps come from another clock, and a
 * killed manager leaves its lease behind.
 */
async function renewedOf(deps: FindDeps, held: readonly Lease[], signal: AbortSignal): Promise<readonly Lease[]> {
  const longestMs = Math.max(...held.map(({ spec }) => (spec?.leaseDurationSeconds ?? 15) * 1_000));
  const first = new Map(held.map((lease) => [lease.metadata.uid, lease.spec?.renewTime]));
  deps.log.info(
    { deadlineMs: longestMs },
    'lease of a Cluster API manager found; waiting to see whether it is renewed',
  );
  for (let waitedMs = 0; waitedMs <= longestMs; waitedMs += LOOK_AGAIN_MS) {
    await deps.sleep(LOOK_AGAIN_MS, signal);
    const now = await leasesOf(deps, signal);
    const renewed = now.filter(
      ({ metadata, spec }) => first.has(metadata.uid) && first.get(metadata.uid) !== spec?.renewTime,
    );
    if (renewed.length > 0) return renewed;
  }
  return [];
}

/** In all namespaces; if that is forbidden, in the usual one. */
async function everywhere<T extends KubeObject>(
  { client, log }: FindDeps,
  resource: Resource,
  options: { readonly labelSelector?: string; readonly fieldSelector?: string },
  signal: AbortSignal,
): Promise<readonly T[]> {
  for (const ref of [{ resource }, { resource, namespace: USUAL_NAMESPACE }]) {
    try {
      return (await listAll<T>(client, ref, options, signal)).items;
    } catch (error) {
      if (!isKubeError(error, 'FORBIDDEN')) throw error;
    }
  }
  log.warn({ name: resource.plural }, 'search for a Cluster API manager forbidden; relying on other traces');
  return [];
}

function fromDeployment({ metadata, spec }: Deployment): Neighbour {
  const { namespace = '', name = '' } = metadata;
  const flags = (spec?.template?.spec?.containers ?? []).flatMap(({ command = [], args = [] }) => [
    ...command,
    ...args,
  ]);
  return {
    found: `Deployment ${namespace}/${name}`,
    scope: scopeOf(flags),
    stop: `kubectl -n ${namespace} scale deployment ${name} --replicas=0`,
  };
}

function fromLease({ metadata, spec }: Lease): Neighbour {
  const { namespace = '' } = metadata;
  return {
    found: `lease ${namespace}/${LEASE}, held by ${spec?.holderIdentity ?? ''}`,
    scope: undefined,
  };
}

/** `--namespace=a`, `--namespace a`: as Go's pflag reads them. An empty value counts as unset. */
function scopeOf(flags: readonly string[]): Scope {
  const namespace = flagOf(flags, 'namespace');
  const watchFilter = flagOf(flags, 'watch-filter');
  return { ...(namespace ? { namespace } : {}), ...(watchFilter ? { watchFilter } : {}) };
}

function flagOf(flags: readonly string[], name: string): string | undefined {
  const at = flags.findLastIndex((flag) => flag === `--${name}` || flag.startsWith(`--${name}=`));
  if (at === -1) return undefined;
  const flag = flags[at] ?? '';
  return flag.includes('=') ? flag.slice(flag.indexOf('=') + 1) : flags[at + 1];
}
