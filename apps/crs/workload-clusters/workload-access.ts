import { createHash } from 'node:crypto';
import type { ClusterObject } from '#contexts/cluster-resource-sets/adapters';
import { isKubeError, type KubeConfig, type KubeObject, parseKubeConfig } from '#kit/kube';
import type { Lister } from '#kit/kube/cache';
import { CrsProcessError } from '../crs-process-error.ts';

/** How a cluster is reached. A different fingerprint means different access. */
export interface WorkloadAccess {
  readonly config: KubeConfig;
  readonly fingerprint: string;
}

/** The platform whose tunnels lead to clusters that are its targets. */
export interface Platform {
  readonly url: URL;
  readonly tokenFile: string;
  readonly caFile: string | undefined;
}

export interface KubeconfigSecret extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

export interface AccessDeps {
  /** Secrets with Cluster API's label. */
  readonly secrets: Lister<KubeconfigSecret>;
  readonly platform: Platform | undefined;
  /** Parsed kubeconfigs by Secret object, because each change of a set needs the access of each of its clusters. */
  readonly known: WeakMap<KubeconfigSecret, WorkloadAccess>;
}

const TARGET_ANNOTATION = 'fleetshift.io/target';
/** Cluster API's label: without it neither its manager nor this one finds the Secret. */
export const CLUSTER_NAME_LABEL = 'cluster.x-k8s.io/cluster-name';
const SUFFIX = '-kubeconfig';
const KEY = 'value';

/** Throws `WORKLOAD_UNREACHABLE`. The same problem always gives the same message, because it appears in conditions. */
export function accessOf(cluster: ClusterObject, { secrets, platform, known }: AccessDeps): WorkloadAccess {
  const { namespace = '', name = '', annotations = {} } = cluster.metadata;
  const target = annotations[TARGET_ANNOTATION];
  if (target !== undefined && target !== '') return byTunnel(target, platform);
  const secret = secrets.get({ namespace, name: `${name}${SUFFIX}` });
  const subject = `Secret ${namespace}/${name}${SUFFIX}`;
  if (secret === undefined) {
    throw unreachable(`there is no ${subject} with the label ${CLUSTER_NAME_LABEL}`);
  }
  const access = known.get(secret) ?? readAccess(secret, subject);
  known.set(secret, access);
  return access;
}

function readAccess({ data }: KubeconfigSecret, subject: string): WorkloadAccess {
  const value = data?.[KEY];
  if (value === undefined || value === '') throw unreachable(`${subject} has no key "${KEY}"`);
  const text = Buffer.from(value, 'base64').toString('utf8');
  return { config: parsed(subject, text), fingerprint: createHash('sha256').update(text).digest('base64') };
}

/** The cluster that this kubeconfig Secret belongs to, judging by its name. */
export function clusterOf({ metadata }: KubeObject): { readonly namespace: string; readonly name: string } | undefined {
  const { namespace = '', name = '' } = metadata;
  return name.endsWith(SUFFIX) ? { namespace, name: name.slice(0, -SUFFIX.length) } : undefined;
}

/** Other Secrets of a cluster carry the label too. Their contents are not needed, and are dropped. */
export function trimSecret({ apiVersion, kind, metadata, data }: KubeconfigSecret): KubeconfigSecret {
  const { name = '', namespace = '', uid = '', resourceVersion = '' } = metadata;
  const own = { apiVersion, kind, metadata: { name, namespace, uid, resourceVersion } };
  const value = data?.[KEY];
  return value === undefined || clusterOf(own) === undefined ? own : { ...own, data: { [KEY]: value } };
}

export function unreachable(why: string, cause?: unknown): CrsProcessError {
  return new CrsProcessError('WORKLOAD_UNREACHABLE', `connection to the workload cluster is down: ${why}`, { cause });
}

function parsed(subject: string, text: string): KubeConfig {
  try {
    return parseKubeConfig(text);
  } catch (error) {
    if (!isKubeError(error, 'CONFIG_INVALID', 'CONFIG_UNSUPPORTED', 'CONFIG_NOT_FOUND')) throw error;
    throw unreachable(`${subject}: ${error.message}`, error);
  }
}

const TARGET_NAME = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;

/** The platform decides whether this process may access the target, and as which user. */
function byTunnel(target: string, platform: Platform | undefined): WorkloadAccess {
  if (!TARGET_NAME.test(target)) throw unreachable(`the annotation ${TARGET_ANNOTATION} is not a valid target name`);
  if (platform === undefined) {
    throw unreachable(`the annotation ${TARGET_ANNOTATION} names a target, but --platform-url is not set`);
  }
  const { url, tokenFile, caFile } = platform;
  const config = {
    server: new URL(`targets/${target}/api`, url.href.endsWith('/') ? url : `${url.href}/`).href,
    namespace: 'default',
    identity: { token: { kind: 'file', path: tokenFile } },
    ...(caFile === undefined ? {} : { ca: { kind: 'file', path: caFile } as const }),
  } as const satisfies KubeConfig;
  return { config, fingerprint: `target ${target}` };
}
