import type { Doc } from './rig.ts';

/** Documents that scenarios deliver, as small as the API server accepts. */

export function map(name: string, data: Readonly<Record<string, string>> = { a: '1' }): Doc {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data };
}

export function secret(name: string, value: string): Doc {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name }, stringData: { password: value } };
}

export function namespaceOf(name: string): Doc {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
}

export interface PodFate {
  readonly simulate?: 'crashes' | 'fails' | 'image-missing' | 'unready';
  readonly cpu?: string;
  readonly label?: string;
}

function template(app: string, { simulate, cpu }: PodFate): object {
  const annotations = simulate && { 'testing.fleetshift/simulate': simulate };
  const resources = cpu && { requests: { cpu } };
  return {
    metadata: { labels: { app }, ...(annotations && { annotations }) },
    spec: { containers: [{ name: 'main', image: 'registry.example/app:1', ...(resources && { resources }) }] },
  };
}

export function pod(name: string): Doc {
  const spec = { containers: [{ name: 'main', image: 'registry.example/app:1' }] };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec };
}

export function deployment(
  name: string,
  { replicas = 1, ...fate }: PodFate & { readonly replicas?: number } = {},
): Doc {
  const spec = { replicas, selector: { matchLabels: { app: name } }, template: template(name, fate) };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name }, spec };
}

export function statefulSet(name: string, fate: PodFate & { readonly serviceName?: string } = {}): Doc {
  const { serviceName = name, ...rest } = fate;
  const spec = { replicas: 1, serviceName, selector: { matchLabels: { app: name } }, template: template(name, rest) };
  return { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name }, spec };
}

export function daemonSet(name: string, fate: PodFate = {}): Doc {
  const spec = { selector: { matchLabels: { app: name } }, template: template(name, fate) };
  return { apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: { name }, spec };
}

export function job(name: string, fate: PodFate = {}, image = 'registry.example/app:1'): Doc {
  const made = template(name, fate) as { metadata: object; spec: { containers: object[] } };
  const containers = made.spec.containers.map((container) => ({ ...container, image }));
  const pod = { ...made, spec: { containers, restartPolicy: 'Never' } };
  return { apiVersion: 'batch/v1', kind: 'Job', metadata: { name }, spec: { backoffLimit: 0, template: pod } };
}

export function service(name: string, spec: object = {}): Doc {
  const usual = { selector: { app: name }, ports: [{ name: 'http', port: 80 }] };
  return { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec: { ...usual, ...spec } };
}

/** A custom kind of the scenario's own; `schema` lists the known fields of its spec. */
export function definition(group: string, { plural = 'widgets', kind = 'Widget', status = false } = {}): Doc {
  const openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } };
  const versions = [{ ...version, ...(status && { subresources: { status: {} } }) }];
  const names = { plural, singular: kind.toLowerCase(), kind };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: { group, scope: 'Namespaced', names, versions },
  };
}

export function custom(group: string, name: string, fields: object = {}, kind = 'Widget'): Doc {
  return { apiVersion: `${group}/v1`, kind, metadata: { name }, ...fields };
}
