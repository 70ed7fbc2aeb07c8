/** What a cluster's agent may do there, in steps: what it is told of, in the namespaces that it is told of, or everything. */
export const RBAC_MODES = ['restricted', 'namespaced', 'cluster-admin'] as const;
export type RbacMode = (typeof RBAC_MODES)[number];

/** A kind in the words of RBAC and of `kubectl auth can-i`: `deployments.apps`, `configmaps`. */
export interface AllowedKind {
  readonly group: string;
  readonly resource: string;
}

/** Everything that differs between the agents of two clusters. The chart has the same as values. */
export interface AgentInstall {
  readonly namespace: string;
  readonly image: string;
  /** The https address of the platform, as the cluster reaches it. */
  readonly platform: string;
  /** Unless told, the agent calls itself after the cluster. */
  readonly target: string | undefined;
  /** A bootstrap token. Without one the Secret is somebody else's to make. */
  readonly token: string | undefined;
  /** Authorities that vouch for the platform, in PEM, where the usual ones do not. */
  readonly authority: string | undefined;
  readonly rbac: RbacMode;
  /** What may be delivered; the usual kinds when it is empty. */
  readonly allow: readonly AllowedKind[];
  /**
   * With `namespaced`, where it may be delivered to. With an API proxy, where deployers and admins of the platform act.
   * None with `cluster-admin`.
   */
  readonly namespaces: readonly string[];
  /** Whether users of the platform reach the cluster's API through the agent. */
  readonly apiProxy: boolean;
  /** Those of them who are users of their own in the cluster, as `user:alice`; with `cluster-admin` all are. */
  readonly apiProxyUsers: readonly string[];
  /** Whether no other Pod may connect to the agent. */
  readonly networkPolicy: boolean;
}

/** As an API server takes it. */
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

/** What everything of the agent is called. */
export const AGENT = 'fleetshift-agent';
/** The one in its Pod. */
export const AGENT_CONTAINER = 'agent';
export const AGENT_NAMESPACE = 'fleetshift-system';
export const BOOTSTRAP_SECRET = `${AGENT}-bootstrap`;
export const AUTHORITY = `${AGENT}-ca`;
export const AUTHORITY_FILE = '/etc/fleetshift/authority/ca.crt';
/** Made by the agent itself: whoever installs it anew, or upgrades it, finds the cluster enrolled already. */
export const IDENTITY_SECRET = `${AGENT}-identity`;

export const SELECTED = { 'app.kubernetes.io/name': AGENT };
export const LABELS = { ...SELECTED, 'app.kubernetes.io/part-of': 'fleetshift' };
