import { canonicalJson } from '#kit/std';
import type { DesiredObject } from './desired-objects.ts';
import { isJsonObject, textAt } from './json-value.ts';
import { groupOf, type KubeObject, keyText } from './kube-object.ts';

/** The agent's own namespace in a cluster. It holds the agent's key, orders and ServiceAccount. */
export interface OwnPlace {
  readonly namespace: string;
  /** Lets a delivery roll out another version of the agent: its image, from this repository. */
  readonly upgrade?: { readonly deployment: string; readonly container: string; readonly repository: string };
}

/** Secrets of the agent, as RBAC rules would name them. */
const OWN_SECRET = /^fleetshift-(agent|cluster-identity|order|inventory)(-|$)/;
const NAMESPACE_FIELD = /namespace$/i;

/**
 * Why objects must not be delivered: they would be in the agent's namespace, or refer to something there. They would
 * give a deployer the identity and rights of the agent, and the contents of all other deployments.
 */
export function reachIntoOwn(objects: readonly DesiredObject[], own: OwnPlace | undefined): string | undefined {
  if (own === undefined) return undefined;
  for (const { key, object } of objects) {
    const isItself = key.kind === 'Namespace' && groupOf(key.apiVersion) === '' && key.name === own.namespace;
    if (isItself || (key.namespace === own.namespace && !isUpgrade(object, own))) {
      return `${keyText(key)}: nothing is delivered to the namespace of the agent.`;
    }
    if (key.namespace !== own.namespace && namesOwn(object, own.namespace)) {
      return `${keyText(key)}: it refers to the namespace of the agent, or to its Secrets or ServiceAccount.`;
    }
  }
  return undefined;
}

/** Only the image of the agent may change, neither its command nor its account. */
function isUpgrade({ metadata, ...rest }: KubeObject, { upgrade }: OwnPlace): boolean {
  if (upgrade === undefined || metadata.name !== upgrade.deployment) return false;
  if (Object.keys(metadata).some((field) => !['name', 'namespace', 'labels'].includes(field))) return false;
  const [first] = containersOf(rest);
  const image = textAt(first, 'image') ?? '';
  const desired = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    spec: { template: { spec: { containers: [{ name: upgrade.container, image }] } } },
  };
  return repositoryOf(image) === upgrade.repository && canonicalJson(rest) === canonicalJson(desired);
}

function containersOf(object: unknown): readonly unknown[] {
  const path = ['spec', 'template', 'spec', 'containers'];
  const found = path.reduce<unknown>((here, field) => (isJsonObject(here) ? here[field] : undefined), object);
  return Array.isArray(found) ? found : [];
}

/** `registry:5000/a/fleetshift` of `registry:5000/a/fleetshift:1.2@sha256:...`. */
function repositoryOf(image: string): string {
  const [named = ''] = image.split('@', 1);
  const colon = named.lastIndexOf(':');
  return colon > named.lastIndexOf('/') ? named.slice(0, colon) : named;
}

function namesOwn(object: KubeObject, namespace: string): boolean {
  const left: unknown[] = [object];
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value === 'string') {
      if (value.startsWith(`system:serviceaccount:${namespace}:`)) return true;
      if (value === `system:serviceaccounts:${namespace}`) return true;
    } else if (Array.isArray(value)) {
      for (const inner of value) left.push(inner);
    } else if (isJsonObject(value)) {
      for (const [field, inner] of Object.entries(value)) {
        if (NAMESPACE_FIELD.test(field) && inner === namespace) return true;
        if (field === 'resourceNames' && Array.isArray(inner) && inner.some(isOwnSecret)) return true;
        left.push(inner);
      }
    }
  }
  return false;
}

function isOwnSecret(name: unknown): boolean {
  return typeof name === 'string' && OWN_SECRET.test(name);
}
