/** Rights of an agent in its cluster: limited to some kinds, also to some namespaces, or unlimited. */
export const RBAC_MODES = ['restricted', 'namespaced', 'cluster-admin'] as const;
export type RbacMode = (typeof RBAC_MODES)[number];

/** A kind as in RBAC and `kubectl auth can-i`: `deployments.apps`, `configmaps`. */
export interface AllowedKind {
  readonly group: string;
  readonly resource: string;
}

/** Everything that differs between the agents of two clusters. The chart has the same values. */
export interface AgentInstall {
  readonly namespace: string;
  readonly image: string;
  /** The https address of the platform, as the cluster reaches it. */
  readonly platform: string;
  /** By default the agent is named after the cluster. */
  readonly target: string | undefined;
  /** A bootstrap token. Without one the Secret has to be created separately. */
  readonly token: string | undefined;
  /** CAs of the platform, in PEM, if the well-known ones do not apply. */
  readonly authority: string | undefined;
  readonly rbac: RbacMode;
  /** Kinds that may be delivered; the usual kinds if empty. */
  readonly allow: readonly AllowedKind[];
  /**
   * With `namespaced`, the namespaces to deliver to. With the API proxy, the namespaces in which cluster-editors and admins
   * of the platform act. None with `cluster-admin`.
   */
  readonly namespaces: readonly string[];
  /** Whether users of the platform can reach the cluster's API through the agent. */
  readonly apiProxy: boolean;
  /** Callers that are impersonated as users of their own, as `user:alice`; with `cluster-admin` all are. */
  readonly apiProxyUsers: readonly string[];
  /** Whether other Pods are kept from connecting to the agent. */
  readonly networkPolicy: boolean;
}

/** In the format of the API server. */
export interface InstalledObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly [field: string]: unknown;
}

/** Name of all objects of the agent. */
export const AGENT = 'fleetshift-agent';
/** Name of the container in its Pod. */
export const AGENT_CONTAINER = 'agent';
export const AGENT_NAMESPACE = 'fleetshift-system';
export const BOOTSTRAP_SECRET = `${AGENT}-bootstrap`;
export const AUTHORITY = `${AGENT}-ca`;
export const AUTHORITY_FILE = '/etc/fleetshift/authority/ca.crt';
/** Written by the agent itself: after an upgrade, or with another Pod, the cluster is still enrolled. */
export const IDENTITY_SECRET = `${AGENT}-identity`;

export const SELECTED = { 'app.kubernetes.io/name': AGENT };
export const LABELS = { ...SELECTED, 'app.kubernetes.io/part-of': 'fleetshift' };
