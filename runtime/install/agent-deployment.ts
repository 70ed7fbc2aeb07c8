import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import {
  AGENT,
  AGENT_CONTAINER,
  type AgentInstall,
  AUTHORITY,
  AUTHORITY_FILE,
  BOOTSTRAP_SECRET,
  IDENTITY_SECRET,
  type InstalledObject,
  LABELS,
  SELECTED,
} from './agent-install.ts';

/** A user id without an entry in this image or any other. */
const USER = 65_532;
const DATA = '/var/lib/fleetshift';
const PORT = 8080;

/** Changes with the settings that Pods read at their start, so that a change restarts them. */
const SETTINGS_ANNOTATION = 'fleetshift.io/settings';

/** The agent's Deployment, with a hash of the settings it reads at its start. */
export function agentDeployment(install: AgentInstall): InstalledObject {
  const { namespace, image } = install;
  const deployment = agentProcess({ namespace, image });
  const { template } = deployment.spec;
  const annotations = { [SETTINGS_ANNOTATION]: settingsHash(install) };
  const metadata = { ...template.metadata, annotations };
  return { ...deployment, spec: { ...deployment.spec, template: { ...template, metadata } } };
}

/**
 * The part that is the same on every cluster of a fleet.
 *
 * DECISION: the new Pod starts before the old one stops. Both use the identity in the cluster's Secret. The platform
 * talks to the later process, and to the earlier one again if the later one dies. So there is always an agent that can
 * report a bad image and take the order to roll back.
 */
function agentProcess({ namespace, image }: Pick<AgentInstall, 'namespace' | 'image'>) {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: AGENT, namespace, labels: LABELS },
    spec: {
      replicas: 1,
      progressDeadlineSeconds: 300,
      selector: { matchLabels: SELECTED },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      template: { metadata: { labels: LABELS }, spec: podSpec(image) },
    },
  } as const;
}

function podSpec(image: string) {
  return {
    serviceAccountName: AGENT,
    terminationGracePeriodSeconds: 30,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: USER,
      runAsGroup: USER,
      fsGroup: USER,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    containers: [container(image)],
    volumes: [
      // The key is only in the cluster's Secret and in memory here, never on disk.
      { name: 'data', emptyDir: { medium: 'Memory', sizeLimit: '16Mi' } },
      { name: 'authority', configMap: { name: AUTHORITY, optional: true } },
      { name: 'bootstrap', secret: { secretName: BOOTSTRAP_SECRET, optional: true } },
    ],
  };
}

function container(image: string) {
  const probe = (path: string) => ({ httpGet: { path, port: 'metrics' } });
  return {
    name: AGENT_CONTAINER,
    image,
    imagePullPolicy: 'IfNotPresent',
    args: ['fleetlet', '--with', 'kubernetes'],
    envFrom: [{ configMapRef: { name: AGENT } }],
    env: [
      { name: 'FLEETSHIFT_DATA', value: DATA },
      { name: 'FLEETSHIFT_AGENT_NAMESPACE', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } },
      { name: 'FLEETSHIFT_IDENTITY_SECRET', value: IDENTITY_SECRET },
      { name: 'FLEETSHIFT_BOOTSTRAP_TOKEN_FILE', value: '/etc/fleetshift/bootstrap/token' },
      { name: 'FLEETSHIFT_METRICS_LISTEN', value: `0.0.0.0:${PORT}` },
    ],
    ports: [{ name: 'metrics', containerPort: PORT }],
    // It does not answer before it has enrolled, which takes as long as the platform is unreachable.
    startupProbe: { ...probe('/healthz'), periodSeconds: 2, failureThreshold: 150 },
    // Ready once it is connected to the platform; until then the previous Pod stays.
    readinessProbe: { ...probe('/readyz'), periodSeconds: 5 },
    livenessProbe: { tcpSocket: { port: 'metrics' }, periodSeconds: 20, failureThreshold: 3 },
    resources: { requests: { cpu: '50m', memory: '128Mi' }, limits: { memory: '512Mi' } },
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
    volumeMounts: [
      { name: 'data', mountPath: DATA },
      { name: 'authority', mountPath: dirname(AUTHORITY_FILE), readOnly: true },
      { name: 'bootstrap', mountPath: '/etc/fleetshift/bootstrap', readOnly: true },
    ],
  };
}

/** In the format of the agent's setting. A `cluster-admin` may impersonate any user, so each caller is named. */
export function apiUsersOf({ rbac, apiProxyUsers }: AgentInstall): string {
  if (rbac === 'cluster-admin') return '*';
  return apiProxyUsers.length === 0 ? 'none' : apiProxyUsers.join(',');
}

function settingsHash(install: AgentInstall): string {
  const { platform, target = '', authority = '' } = install;
  const settings = [platform, target, authority, apiUsersOf(install)].join('\n');
  return createHash('sha256').update(settings).digest('hex').slice(0, 16);
}
