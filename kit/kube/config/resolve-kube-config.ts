import { isAbsolute, resolve } from 'node:path';
import { Secret } from '#kit/std';
import { KubeError } from '../kube-error.ts';
import type { Environment, IdentityConfig, Impersonation, KubeConfig, Material } from './kube-config.ts';
import type { Entry, KubeconfigDocument } from './kubeconfig-document.ts';
import { isLoopback, proxyFor } from './proxy-for.ts';
import { readExecPlugin } from './read-exec-plugin.ts';

export interface Selection {
  /** The current context of the document by default. */
  readonly context?: string;
  /** Overrides that of the context. */
  readonly cluster?: string;
  readonly user?: string;
  readonly namespace?: string;
  readonly environment: Environment;
}

/** Selects one context of a document. Nothing is read or run yet. */
export function resolveKubeConfig(document: KubeconfigDocument, selection: Selection): KubeConfig {
  const { environment } = selection;
  const context = pickContext(document, selection);
  const clusterName = selection.cluster ?? context?.fields.text('cluster');
  if (clusterName === undefined) {
    throw new KubeError('CONFIG_INVALID', 'pick a cluster: the kubeconfig has no current context, and none was named');
  }
  const cluster = pick(document.clusters, clusterName, 'cluster');
  const userName = selection.user ?? context?.fields.text('user');
  const user = userName === undefined ? undefined : pick(document.users, userName, 'user');
  const connection = connectionOf(cluster, environment);
  const identity = user ? identityOf(user, cluster, environment) : {};
  const impersonate = user && impersonationOf(user);
  refuseClearText(connection.server, identity);
  return {
    ...connection,
    namespace: selection.namespace ?? context?.fields.text('namespace') ?? 'default',
    identity,
    ...(impersonate && { impersonate }),
  };
}

function pickContext({ contexts, currentContext }: KubeconfigDocument, selection: Selection): Entry | undefined {
  if (selection.context !== undefined) return pick(contexts, selection.context, 'context');
  if (currentContext !== undefined) return pick(contexts, currentContext, 'context');
  return undefined;
}

function pick(entries: ReadonlyMap<string, Entry>, name: string, what: string): Entry {
  const entry = entries.get(name);
  if (entry) return entry;
  const known = [...entries.keys()].toSorted().join(', ') || 'none';
  throw new KubeError('CONFIG_INVALID', `pick the ${what} ${name}: the kubeconfig has ${known}`);
}

function connectionOf(cluster: Entry, environment: Environment): Omit<KubeConfig, 'namespace' | 'identity'> {
  const { fields } = cluster;
  const server = parseServer(fields.text('server'), fields.where);
  const ca = material(cluster, 'certificate-authority');
  const insecureSkipVerify = fields.flag('insecure-skip-tls-verify');
  if (ca && insecureSkipVerify) {
    throw new KubeError(
      'CONFIG_INVALID',
      `${fields.where} has a certificate authority and insecure-skip-tls-verify: use only one of them`,
    );
  }
  const serverName = fields.text('tls-server-name');
  const proxyUrl = parseProxy(fields.text('proxy-url'), fields.where) ?? proxyFor(server, environment);
  return {
    server: server.href,
    ...(ca && { ca }),
    ...(insecureSkipVerify && { insecureSkipVerify }),
    ...(serverName !== undefined && { serverName }),
    ...(proxyUrl !== undefined && { proxyUrl }),
    ...(fields.flag('disable-compression') && { disableCompression: true }),
  };
}

function identityOf(user: Entry, cluster: Entry, environment: Environment): IdentityConfig {
  const { fields } = user;
  if (fields.text('username') !== undefined || fields.text('password') !== undefined) {
    throw new KubeError(
      'CONFIG_UNSUPPORTED',
      `${fields.where} has a password, which API servers do not accept since 1.19`,
    );
  }
  if (fields.part('auth-provider')) {
    throw new KubeError(
      'CONFIG_UNSUPPORTED',
      `${fields.where} has an auth-provider; use an exec plugin instead, as since 1.26`,
    );
  }
  const [cert, key] = [material(user, 'client-certificate'), material(user, 'client-key')];
  if (!cert !== !key)
    throw new KubeError(
      'CONFIG_INVALID',
      `${fields.where} has a certificate without a key, or a key without a certificate`,
    );
  const exec = readExecPlugin(user, cluster, environment);
  const token = tokenOf(user);
  return { ...(cert && key && { certificate: { cert, key } }), ...(token && { token }), ...(exec && { exec }) };
}

/** The file takes precedence over the text, as in kubectl. */
function tokenOf(user: Entry): Material | undefined {
  const file = user.fields.text('tokenFile');
  if (file !== undefined) return { kind: 'file', path: localPath(user, file) };
  const text = user.fields.text('token');
  return text === undefined ? undefined : { kind: 'text', text: new Secret(text) };
}

function impersonationOf({ fields }: Entry): Impersonation | undefined {
  const [user, uid, groups, extra] = [
    fields.text('as'),
    fields.text('as-uid'),
    fields.texts('as-groups'),
    fields.part('as-user-extra'),
  ];
  if (user === undefined) {
    if (uid === undefined && groups.length === 0 && !extra) return undefined;
    throw new KubeError(
      'CONFIG_INVALID',
      `${fields.where} impersonates groups, a uid or extras without a user: "as" is missing`,
    );
  }
  return {
    user,
    ...(uid !== undefined && { uid }),
    ...(groups.length > 0 && { groups }),
    ...(extra && { extra: Object.fromEntries(extra.names().map((name) => [name, extra.texts(name)])) }),
  };
}

/** `x-data` holds the content in base64, and takes precedence over `x`, which names a file. */
function material(entry: Entry, name: string): Material | undefined {
  const data = entry.fields.text(`${name}-data`);
  if (data !== undefined) return { kind: 'text', text: new Secret(Buffer.from(data, 'base64').toString('utf8')) };
  const file = entry.fields.text(name);
  return file === undefined ? undefined : { kind: 'file', path: localPath(entry, file) };
}

/**
 * DECISION: a kubeconfig that came as text (from a Secret, over the network) may not name files or programs of this
 * machine. Otherwise the author of such a Secret could read our files, or run programs as our process.
 */
function localPath({ fields, folder }: Entry, path: string): string {
  if (folder === undefined) {
    throw new KubeError(
      'CONFIG_UNSUPPORTED',
      `${fields.where} names the file ${path}, which is allowed only in a kubeconfig from a file`,
    );
  }
  return isAbsolute(path) ? path : resolve(folder, path);
}

function parseServer(server: string | undefined, where: string): URL {
  if (server === undefined) throw new KubeError('CONFIG_INVALID', `${where} has no server`);
  const url = URL.parse(server);
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return url;
  throw new KubeError('CONFIG_INVALID', `${where}: server is not an http or https URL`);
}

function parseProxy(proxy: string | undefined, where: string): string | undefined {
  if (proxy === undefined) return undefined;
  const url = URL.parse(proxy);
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return url.href;
  throw new KubeError('CONFIG_UNSUPPORTED', `${where}: proxy-url is not an http or https URL`);
}

/** Unencrypted credentials could be read on the network. */
function refuseClearText(server: string, identity: IdentityConfig): void {
  const { protocol, hostname } = new URL(server);
  if (protocol === 'https:' || isLoopback(hostname) || !(identity.token || identity.exec)) return;
  throw new KubeError('CONFIG_UNSUPPORTED', `${server} would get the credentials unencrypted`);
}
