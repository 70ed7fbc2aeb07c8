export interface ConfigMapOptions {
  readonly name: string;
  readonly namespace: string;
  readonly data?: Readonly<Record<string, string>>;
}

/** A ConfigMap for a workload cluster, as people write it. */
export function configMapText({ name, namespace, data = { made: 'by a set' } }: ConfigMapOptions): string {
  const lines = Object.entries(data).map(([key, value]) => `  ${key}: ${JSON.stringify(value)}`);
  return [
    'apiVersion: v1',
    'kind: ConfigMap',
    'metadata:',
    `  name: ${name}`,
    `  namespace: ${namespace}`,
    'data:',
    ...lines,
    '',
  ].join('\n');
}
