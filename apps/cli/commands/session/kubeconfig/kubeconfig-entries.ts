export interface NamedEntry {
  readonly name: string;
}

/** The entries of a kubeconfig: a cluster and a context for each target, and one user for all. */
export interface KubeconfigEntries {
  readonly clusters: readonly (NamedEntry & { readonly cluster: Readonly<Record<string, string>> })[];
  readonly users: readonly (NamedEntry & { readonly user: object })[];
  readonly contexts: readonly (NamedEntry & { readonly context: Readonly<Record<string, string>> })[];
}

export interface EntriesOptions {
  readonly targets: readonly string[];
  /** The address of the platform for kubectl. */
  readonly server: URL;
  /** The authority of its certificate, in PEM, if machines do not trust it already. */
  readonly authority: string | undefined;
  /** The name of the user entry: the context of the CLI, or the host of the platform. */
  readonly login: string;
  /** The program that prints the credential, and its arguments. */
  readonly command: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

const PREFIX = 'fleetshift-';

export function contextName(target: string): string {
  return `${PREFIX}${target}`;
}

/** The entries contain no secret: the program has the login. */
export function kubeconfigEntries(options: EntriesOptions): KubeconfigEntries {
  const { targets, server, authority, login, command, args, environment } = options;
  const root = `${server.origin}${server.pathname.replace(/\/+$/, '')}`;
  const user = `fleetshift@${login}`;
  const trust =
    authority === undefined ? {} : { 'certificate-authority-data': Buffer.from(authority).toString('base64') };
  const env = Object.entries(environment).map(([name, value]) => ({ name, value }));
  const exec = {
    apiVersion: 'client.authentication.k8s.io/v1',
    command,
    args: ['auth', 'token', ...args],
    ...(env.length === 0 ? {} : { env }),
    installHint: 'This cluster is accessed through FleetShift, but the command fleetshift was not found.',
    interactiveMode: 'Never',
    provideClusterInfo: false,
  };
  return {
    clusters: targets.map((target) => ({
      name: contextName(target),
      cluster: { server: `${root}/targets/${target}/api`, ...trust },
    })),
    users: [{ name: user, user: { exec } }],
    contexts: targets.map((target) => ({
      name: contextName(target),
      context: { cluster: contextName(target), user },
    })),
  };
}
