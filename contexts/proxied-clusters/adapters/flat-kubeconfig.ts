import { readFile } from 'node:fs/promises';
import type { KubeConfig, Material } from '#kit/kube';

const NAME = 'cluster';

/** Reads material that is inlined in the kubeconfig. */
type ReadMaterial<T> = (material: Material) => T;

/** One cluster and one user as a kubeconfig, with the contents of its files inlined. Credential plugins cannot be inlined. */
export async function flattenKubeconfig(config: KubeConfig, signal: AbortSignal): Promise<string> {
  const { ca, identity } = config;
  const materials = [ca, identity.certificate?.cert, identity.certificate?.key, identity.token];
  const texts = new Map<Material, string>();
  for (const material of materials) {
    if (material?.kind === 'file') {
      texts.set(material, await readFile(material.path, { encoding: 'utf8', signal }));
    }
  }
  return printKubeconfig(config, (material) =>
    material.kind === 'text' ? material.text.reveal() : (texts.get(material) ?? ''),
  );
}

/** As JSON, which is valid YAML. The same config always has the same text. */
export function printKubeconfig(config: KubeConfig, read: ReadMaterial<string>): string {
  const data = (material: Material | undefined): string | undefined =>
    material && Buffer.from(read(material)).toString('base64');
  const { identity, impersonate } = config;
  const cluster = {
    server: config.server,
    'certificate-authority-data': data(config.ca),
    'tls-server-name': config.serverName,
    'insecure-skip-tls-verify': config.insecureSkipVerify,
    'proxy-url': config.proxyUrl,
    'disable-compression': config.disableCompression,
  };
  const user = {
    'client-certificate-data': data(identity.certificate?.cert),
    'client-key-data': data(identity.certificate?.key),
    token: identity.token && read(identity.token).trim(),
    as: impersonate?.user,
    'as-uid': impersonate?.uid,
    'as-groups': impersonate?.groups,
    'as-user-extra': impersonate?.extra,
  };
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': NAME,
    clusters: [{ name: NAME, cluster }],
    users: [{ name: NAME, user }],
    contexts: [{ name: NAME, context: { cluster: NAME, user: NAME, namespace: config.namespace } }],
  });
}
