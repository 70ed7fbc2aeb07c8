import type { KeyPair } from './certificate-authority.ts';

export interface ClientConfig {
  readonly server: string;
  readonly ca: string;
  readonly user: string;
  readonly credentials: { readonly token: string } | KeyPair;
}

/** The text of a kubeconfig, as JSON, which is also YAML. */
export function clientConfig({ server, ca, user, credentials }: ClientConfig): string {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const login =
    'token' in credentials
      ? credentials
      : { 'client-certificate-data': base64(credentials.cert), 'client-key-data': base64(credentials.key) };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'cluster', cluster: { server, 'certificate-authority-data': base64(ca) } }],
    users: [{ name: user, user: login }],
    contexts: [{ name: 'context', context: { cluster: 'cluster', user } }],
    'current-context': 'context',
  };
  return `${JSON.stringify(config, undefined, 2)}\n`;
}
