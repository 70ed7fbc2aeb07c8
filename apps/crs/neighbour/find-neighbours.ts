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
  /** By the wall: it is compared with what API servers write. */
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

/** What clusterctl gives all that belongs to Cluster API's own manager, and no other provider. */
const PROVIDER = 'cluster.x-k8s.io/provider=cluster-api';
/** The name is in the program; the namespace is the one that it runs in. */
const LEASE = 'controller-leader-election-capi';
const USUAL_NAMESPACE = 'capi-system';
/** How the API server calls what we wrote, by our user agent. */
const OURS = 'fleetshift';
const RECENT_MS = 120_000;
const LOOK_AGAIN_MS = 2_000;

/** What of Cluster API's manager can be seen to run: its Deployments, and the leases that are renewed. */
export async function findNeighbours(deps: FindDeps, signal: AbortSignal): Promise<readonly Neighbour[]> {
  const deployments = await everywhere<Deployment>(deps, CORE.deployments, { labelSelector: PROVIDER }, signal);
  const running = deployments.filter(({ spec }) => (spec?.replicas ?? 1) > 0);
  const explained = new Set(running.map(({ metadata }) => metadata.namespace));
  const held = (await leasesOf(deps, signal)).filter(({ metadata }) => !explained.has(metadata.namespace));
  const renewed = held.length === 0 ? [] : await renewedOf(deps, held, signal);
  return [...running.map(fromDeployment), ...renewed.map(fromLease)];
}

/**
 * One that runs outside of the cluster and without leader election leaves traces only. Nobody but a controller of sets
 * writes their status, so whoever has done so lately is one. Asked where nothing else is to be seen.
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

/** Nothing else of them is kept: there may be many. */
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
 * DECISION: a lease is alive when we see it change within its own time. What it says of time is by somebody else's clock,
 * and a manager that was killed leaves its lease behind.
 */
async function renewedOf(deps: FindDeps, held: readonly Lease[], signal: AbortSignal): Promise<readonly Lease[]> {
  const longestMs = Math.max(...held.map(({ spec }) => (spec?.leaseDurationSeconds ?? 15) * 1_000));
  const first = new Map(held.map((lease) => [lease.metadata.uid, lease.spec?.renewTime]));
  deps.log.info({ deadlineMs: longestMs }, 'there is a lease of a Cluster API manager; waiting whether it is renewed');
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

/** In all namespaces; where that is not allowed, in the one that it usually has. */
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
  log.warn({ name: resource.plural }, 'may not look for a Cluster API manager there; going by what else is seen');
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

/** `--namespace=a`, `--namespace a`: as Go's pflag reads them. An empty one is none. */
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
