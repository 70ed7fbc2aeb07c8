import { type KubeConfig, KubeError, parseKubeConfig } from '#kit/kube';
import { Secret } from '#kit/std';
import type { KubeconfigReader } from '../application/ports.ts';
import type { KubeconfigFacts } from '../domain/proxied-cluster.ts';
import { unusable } from '../domain/proxied-cluster-error.ts';
import { printKubeconfig } from './flat-kubeconfig.ts';

/** Keeps only what one context needs. References to files or programs are refused: they would be the platform's own. */
export const kubeKubeconfigReader: KubeconfigReader = {
  read: (text, context) => {
    const config = parsed(text, context);
    // A kubeconfig that came as text has no files.
    const flat = printKubeconfig(config, (material) => (material.kind === 'text' ? material.text.reveal() : ''));
    return { text: new Secret(flat), facts: factsOf(config) };
  },
};

function parsed(text: string, context: string | undefined): KubeConfig {
  try {
    return parseKubeConfig(text, { ...(context !== undefined && { context }) });
  } catch (error) {
    // Messages of KubeError contain no secrets; other errors might.
    throw unusable(error instanceof KubeError ? error.message : 'it is not a valid kubeconfig');
  }
}

function factsOf({ server, identity, impersonate, insecureSkipVerify = false }: KubeConfig): KubeconfigFacts {
  const { href } = withoutPassword(server);
  const user = identity.token === undefined ? identity.certificate && ('Certificate' as const) : ('Token' as const);
  return { server: href, user: user ?? 'None', impersonates: impersonate?.user, isInsecure: insecureSkipVerify };
}

function withoutPassword(server: string): URL {
  return Object.assign(new URL(server), { username: '', password: '' });
}
