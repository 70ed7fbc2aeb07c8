import {
  boolean,
  COMMON_SETTINGS,
  duration,
  hostPort,
  integer,
  listOf,
  oneOf,
  path,
  type Resolved,
  resolveSettings,
  type Settings,
  text,
  url,
  type Values,
} from '#kit/config';
import { LOG_LEVELS } from '#kit/telemetry';
import { isLoopback } from '#runtime/process/loopback';
import { type ConfigSources, IGNORED_VARIABLES } from '#runtime/process/process-command';

const LOG_FORMATS = ['json', 'pretty'] as const;

/** All settings of `fleetshift crs`. */
export const CRS_SETTINGS = {
  kubeconfig: {
    kind: path(),
    unset: 'KUBECONFIG, ~/.kube/config, or the service account of the Pod',
    sentence: 'Kubeconfig of the management cluster, which has the sets.',
    group: 'Management cluster',
  },
  'kube-context': {
    kind: text('NAME'),
    unset: 'the current context',
    sentence: 'Context in the kubeconfig.',
    group: 'Management cluster',
  },
  namespace: {
    kind: text('NAMESPACE'),
    unset: 'all',
    sentence: 'Manage only sets and clusters in this namespace.',
    group: 'Management cluster',
  },
  'watch-filter': {
    kind: text('VALUE'),
    unset: 'all',
    sentence: 'Manage only objects whose label cluster.x-k8s.io/watch-filter has this value.',
    group: 'Management cluster',
  },
  'allow-beside-cluster-api': {
    kind: boolean(),
    default: 'false',
    sentence: "Start even if Cluster API's manager seems to manage the same objects. Only if it is known not to.",
    group: 'Management cluster',
  },
  concurrency: {
    kind: integer({ min: 1, max: 1_000 }),
    default: '10',
    sentence: 'Concurrent reconciliations of sets.',
    group: 'Work',
  },
  'sync-period': {
    kind: duration('10s', '24h'),
    default: '10m',
    sentence: 'How often every set is reconciled even if nothing changed.',
    group: 'Work',
  },
  'server-side-apply': {
    kind: boolean(),
    default: 'false',
    sentence: 'Use server-side apply, instead of a merge patch that removes fields the manifest does not have.',
    group: 'Beyond Cluster API',
  },
  'drift-repair': {
    kind: duration('10s', '24h'),
    unset: 'never',
    sentence: 'How often objects of sets with the strategy Reconcile are restored to their manifest.',
    group: 'Beyond Cluster API',
  },
  prune: {
    kind: boolean(),
    default: 'false',
    sentence: 'Delete objects that have left their manifest from workload clusters.',
    group: 'Beyond Cluster API',
  },
  'keep-resources': {
    kind: boolean(),
    default: 'false',
    sentence: 'Keep ConfigMaps and Secrets when the last set that names them is deleted.',
    group: 'Beyond Cluster API',
  },
  'platform-url': {
    kind: url(['https:', 'http:']),
    unset: 'none: clusters are reached by kubeconfig only',
    sentence:
      'Platform whose tunnels are used to reach clusters with the annotation fleetshift.io/target. Plain http on loopback only.',
    group: 'Workload clusters',
  },
  'platform-token-file': {
    kind: path(),
    unset: 'none',
    sentence: 'File with the token of a service account of the platform. Reloaded when it changes.',
    group: 'Workload clusters',
  },
  'platform-ca-file': {
    kind: path(),
    unset: 'the CAs of the system',
    sentence: 'PEM file with the CA of the platform.',
    group: 'Workload clusters',
  },
  'probe-interval': {
    kind: duration('1s', '10m'),
    default: '10s',
    sentence: 'How often workload clusters in use are probed.',
    group: 'Workload clusters',
  },
  'leader-elect': {
    kind: boolean(),
    default: 'false',
    sentence: 'Elect a leader: one process works, the others stand by.',
    group: 'Leader election',
  },
  'leader-elect-namespace': {
    kind: text('NAMESPACE'),
    unset: 'the namespace of the Pod, or of the kubeconfig',
    sentence: 'Namespace of the lease fleetshift-crs.',
    group: 'Leader election',
  },
  'leader-elect-lease-duration': {
    kind: duration('1s', '10m'),
    default: '15s',
    sentence: 'How long standby processes wait after the last renewal before they take over.',
    group: 'Leader election',
  },
  'leader-elect-renew-deadline': {
    kind: duration('1s', '10m'),
    default: '10s',
    sentence: 'How long after its last renewal the leader stops. Must be shorter than the lease duration.',
    group: 'Leader election',
  },
  'leader-elect-retry-period': {
    kind: duration('100ms', '10m'),
    default: '2s',
    sentence: 'Time between two renewals, or two attempts. Must be shorter than the renew deadline.',
    group: 'Leader election',
  },
  'webhook-listen': {
    kind: hostPort(),
    unset: 'not',
    sentence: 'Address of the admission webhooks, served with TLS.',
    group: 'Webhooks',
  },
  'webhook-cert-dir': {
    kind: path('FOLDER'),
    unset: 'none',
    sentence: 'Folder with tls.crt and tls.key of the webhooks, which are renewed externally.',
    group: 'Webhooks',
  },
  'webhook-cert-secret': {
    kind: text('NAME'),
    unset: 'none',
    sentence:
      'Instead of a folder: Secret in the namespace of the lease, in which this process stores a certificate of its own CA.',
    group: 'Webhooks',
  },
  'webhook-name': {
    kind: listOf(text('NAME')),
    default: '',
    sentence:
      'Host names under which the API server calls the webhooks: the names in the certificate of --webhook-cert-secret.',
    group: 'Webhooks',
  },
  'webhook-configuration': {
    kind: text('NAME'),
    default: 'fleetshift-crs',
    sentence:
      'Name of the mutating and the validating webhook configuration into which the CA of --webhook-cert-secret is written.',
    group: 'Webhooks',
  },
  'metrics-listen': {
    kind: hostPort(),
    unset: 'not',
    sentence: 'Address of /metrics. Port 0 picks a free port.',
    group: 'Watching',
  },
  'health-listen': {
    kind: hostPort(),
    unset: 'not',
    sentence: 'Address of /healthz and /readyz; may be the same as --metrics-listen.',
    group: 'Watching',
  },
  'log-level': {
    kind: oneOf(LOG_LEVELS),
    default: 'info',
    sentence: 'Log level.',
    group: 'Watching',
  },
  'log-format': {
    kind: oneOf(LOG_FORMATS),
    unset: 'pretty on a terminal, else json',
    sentence: 'Log format: JSON lines, or readable text. Both go to standard error.',
    group: 'Watching',
  },
  ...COMMON_SETTINGS,
} as const satisfies Settings;

export type CrsConfig = Values<typeof CRS_SETTINGS>;

export function resolveCrsConfig(sources: ConfigSources): Resolved<typeof CRS_SETTINGS> {
  return resolveSettings({ settings: CRS_SETTINGS, ignoredVariables: IGNORED_VARIABLES, check, ...sources });
}

type Refuse = (name: keyof typeof CRS_SETTINGS, why: string) => void;

function check(config: CrsConfig, refuse: Refuse): void {
  checkLease(config, refuse);
  checkWebhooks(config, refuse);
  checkPlatform(config, refuse);
}

function checkLease(config: CrsConfig, refuse: Refuse): void {
  const { leaderElectLeaseDuration, leaderElectRenewDeadline, leaderElectRetryPeriod } = config;
  if (leaderElectRenewDeadline >= leaderElectLeaseDuration) {
    refuse('leader-elect-renew-deadline', 'is not shorter than --leader-elect-lease-duration');
  }
  if (leaderElectRetryPeriod >= leaderElectRenewDeadline) {
    refuse('leader-elect-retry-period', 'is not shorter than --leader-elect-renew-deadline');
  }
}

function checkWebhooks(config: CrsConfig, refuse: Refuse): void {
  const { webhookListen, webhookCertDir, webhookCertSecret, webhookName } = config;
  if (webhookListen === undefined) {
    if (webhookCertDir !== undefined) refuse('webhook-cert-dir', 'is given without --webhook-listen');
    if (webhookCertSecret !== undefined) refuse('webhook-cert-secret', 'is given without --webhook-listen');
    return;
  }
  if ((webhookCertDir === undefined) === (webhookCertSecret === undefined)) {
    refuse('webhook-listen', 'needs a certificate: either --webhook-cert-dir or --webhook-cert-secret');
  }
  if (webhookCertSecret !== undefined && webhookName.length === 0) {
    refuse('webhook-cert-secret', 'needs --webhook-name, such as fleetshift-crs.fleetshift-system.svc');
  }
}

function checkPlatform({ platformUrl, platformTokenFile, platformCaFile }: CrsConfig, refuse: Refuse): void {
  if (platformUrl === undefined) {
    if (platformTokenFile !== undefined) refuse('platform-token-file', 'is given without --platform-url');
    if (platformCaFile !== undefined) refuse('platform-ca-file', 'is given without --platform-url');
    return;
  }
  if (platformTokenFile === undefined) refuse('platform-url', 'needs --platform-token-file');
  if (platformUrl.protocol === 'http:' && !isLoopback(platformUrl.hostname.replace(/^\[|\]$/g, ''))) {
    refuse('platform-url', 'is plain and not on loopback: use https');
  }
}
