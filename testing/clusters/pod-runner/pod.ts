/** The fields of a Pod that a kubelet needs. */
export interface Pod {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
    readonly deletionGracePeriodSeconds?: number;
  };
  readonly spec: {
    readonly nodeName?: string;
    readonly serviceAccountName?: string;
    readonly restartPolicy?: 'Always' | 'OnFailure' | 'Never';
    readonly initContainers?: readonly Container[];
    readonly containers: readonly Container[];
    readonly volumes?: readonly Volume[];
  };
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly Condition[];
  };
}

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime?: string;
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly workingDir?: string;
  readonly ports?: readonly { readonly name?: string; readonly containerPort: number }[];
  readonly env?: readonly EnvVar[];
  readonly envFrom?: readonly EnvSource[];
  readonly volumeMounts?: readonly VolumeMount[];
  readonly startupProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly livenessProbe?: Probe;
}

export interface KeyRef {
  readonly name: string;
  readonly key: string;
  readonly optional?: boolean;
}

export interface EnvVar {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: {
    readonly secretKeyRef?: KeyRef;
    readonly configMapKeyRef?: KeyRef;
    readonly fieldRef?: { readonly fieldPath: string };
  };
}

export interface EnvSource {
  readonly prefix?: string;
  readonly secretRef?: { readonly name: string; readonly optional?: boolean };
  readonly configMapRef?: { readonly name: string; readonly optional?: boolean };
}

export interface VolumeMount {
  readonly name: string;
  readonly mountPath: string;
  readonly subPath?: string;
}

export interface KeyToPath {
  readonly key: string;
  readonly path: string;
  readonly mode?: number;
}

interface NamedItems {
  readonly items?: readonly KeyToPath[];
  readonly optional?: boolean;
}

export interface DownwardItems {
  readonly items?: readonly { readonly path: string; readonly fieldRef?: { readonly fieldPath: string } }[];
}

export interface Projection {
  readonly secret?: NamedItems & { readonly name: string };
  readonly configMap?: NamedItems & { readonly name: string };
  readonly downwardAPI?: DownwardItems;
  readonly serviceAccountToken?: {
    readonly path: string;
    readonly audience?: string;
    readonly expirationSeconds?: number;
  };
}

export interface Volume {
  readonly name: string;
  readonly secret?: NamedItems & { readonly secretName: string; readonly defaultMode?: number };
  readonly configMap?: NamedItems & { readonly name: string; readonly defaultMode?: number };
  readonly downwardAPI?: DownwardItems & { readonly defaultMode?: number };
  readonly projected?: { readonly sources?: readonly Projection[]; readonly defaultMode?: number };
  readonly emptyDir?: object;
}

export interface Probe {
  readonly httpGet?: {
    readonly path?: string;
    readonly port: number | string;
    readonly scheme?: 'HTTP' | 'HTTPS';
    readonly httpHeaders?: readonly { readonly name: string; readonly value: string }[];
  };
  readonly tcpSocket?: { readonly port: number | string };
  readonly exec?: { readonly command?: readonly string[] };
  readonly initialDelaySeconds?: number;
  readonly periodSeconds?: number;
  readonly timeoutSeconds?: number;
  readonly failureThreshold?: number;
}
