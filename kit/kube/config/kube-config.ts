import type { Secret } from '#kit/std';

/** A literal text, or a file that may change and is read again. */
export type Material =
  | { readonly kind: 'text'; readonly text: Secret }
  | { readonly kind: 'file'; readonly path: string };

/** A program that prints an `ExecCredential`. */
export interface ExecPlugin {
  readonly apiVersion: 'client.authentication.k8s.io/v1' | 'client.authentication.k8s.io/v1beta1';
  /** A name to look up in PATH, or an absolute path. */
  readonly command: string;
  readonly args: readonly string[];
  /** Added to `environment`. */
  readonly env: Readonly<Record<string, string>>;
  readonly environment: Environment;
  /** Cluster information for the plugin, if it asked for it. */
  readonly cluster?: Readonly<Record<string, unknown>>;
  /** How to install the program. */
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

/** One server and one identity: everything a client needs. */
export interface KubeConfig {
  /** Including the path, if the API is below one. */
  readonly server: string;
  /** The default namespace. */
  readonly namespace: string;
  readonly ca?: Material;
  readonly serverName?: string;
  readonly insecureSkipVerify?: boolean;
  readonly proxyUrl?: string;
  readonly disableCompression?: boolean;
  readonly identity: IdentityConfig;
  readonly impersonate?: Impersonation;
}
