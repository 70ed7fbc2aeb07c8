import type { Secret } from '#kit/std';

/** Text that was given, or a file that may change and is read again. */
export type Material =
  | { readonly kind: 'text'; readonly text: Secret }
  | { readonly kind: 'file'; readonly path: string };

/** A program that prints an `ExecCredential`. */
export interface ExecPlugin {
  readonly apiVersion: 'client.authentication.k8s.io/v1' | 'client.authentication.k8s.io/v1beta1';
  /** A name to look up in PATH, or an absolute path. */
  readonly command: string;
  readonly args: readonly string[];
  /** On top of `environment`. */
  readonly env: Readonly<Record<string, string>>;
  readonly environment: Environment;
  /** What the plugin is told of the cluster, when it asked to be told. */
  readonly cluster?: Readonly<Record<string, unknown>>;
  /** How a person gets the program. */
  readonly installHint?: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

export interface IdentityConfig {
  readonly certificate?: { readonly cert: Material; readonly key: Material };
  readonly token?: Material;
  readonly exec?: ExecPlugin;
}

export interface Impersonation {
  readonly user: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** One server, one identity: what a client needs to know. */
export interface KubeConfig {
  /** With its path, when the API stands below one. */
  readonly server: string;
  /** Where names without a namespace belong. */
  readonly namespace: string;
  readonly ca?: Material;
  readonly serverName?: string;
  readonly insecureSkipVerify?: boolean;
  readonly proxyUrl?: string;
  readonly disableCompression?: boolean;
  readonly identity: IdentityConfig;
  readonly impersonate?: Impersonation;
}
