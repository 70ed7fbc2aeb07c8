import { CORE, isKubeError, type KubeClient, type KubeObject } from '#kit/kube';
import { labelOf } from '#runtime/agent-process/label-of';

/** Facts about a cluster, as far as the agent may read them. */
export interface ClusterFacts {
  /** As the server reports it: `v1.36.2`. */
  readonly version: string;
  readonly labels: Readonly<Record<string, string>>;
}

interface Node extends KubeObject {
  readonly spec?: { readonly providerID?: string };
  readonly status?: { readonly nodeInfo?: { readonly architecture?: string } };
}

/** Sample size: a label is only set if all nodes agree, and the first nodes are enough to tell. */
const NODES = 50;
const REGION = 'topology.kubernetes.io/region';
const ZONE = 'topology.kubernetes.io/zone';

/** Labels for placement. Facts that may not be read are left out. */
export async function clusterFacts(client: KubeClient, signal: AbortSignal): Promise<ClusterFacts> {
  const [{ gitVersion = '', platform = '' }, nodes] = await Promise.all([
    client.request<{ gitVersion?: string; platform?: string }>({ method: 'GET', path: '/version' }, signal),
    visibleNodes(client, signal),
  ]);
  const seen = {
    version: gitVersion,
    arch: common(nodes.map(({ status }) => status?.nodeInfo?.architecture)) ?? platform.split('/')[1],
    platform: common(nodes.map(({ spec }) => providerOf(spec?.providerID))),
    region: common(nodes.map(({ metadata }) => metadata.labels?.[REGION])),
    zone: common(nodes.map(({ metadata }) => metadata.labels?.[ZONE])),
  };
  const labels = Object.entries(seen).flatMap(([key, value]) => {
    const label = labelOf(value ?? '');
    return label === '' ? [] : [[key, label] as const];
  });
  return { version: gitVersion, labels: Object.fromEntries(labels) };
}

async function visibleNodes(client: KubeClient, signal: AbortSignal): Promise<readonly Node[]> {
  try {
    return (await client.list<Node>({ resource: CORE.nodes }, { limit: NODES }, signal)).items;
  } catch (error) {
    if (isKubeError(error, 'FORBIDDEN', 'NOT_FOUND')) return [];
    throw error;
  }
}

/** The provider: `aws` for `aws:///eu-central-1a/i-0123`. */
function providerOf(id: string | undefined): string | undefined {
  return id === undefined ? undefined : /^([a-z][-a-z0-9]*):\/\//.exec(id)?.[1];
}

/** The value that all have in common. */
function common(said: readonly (string | undefined)[]): string | undefined {
  const [first] = said;
  return said.every((each) => each === first) ? first : undefined;
}
