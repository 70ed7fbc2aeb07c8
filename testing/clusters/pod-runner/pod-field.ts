import type { Pod } from './pod.ts';

/** Reads a field of the Pod by its downward API path. */
export function podField({ metadata, spec }: Pod, fieldPath: string, podIp: string): string {
  const [, table, key] = /^metadata\.(labels|annotations)\['(.+)'\]$/.exec(fieldPath) ?? [];
  if (table === 'labels') return metadata.labels?.[key ?? ''] ?? '';
  if (table === 'annotations') return metadata.annotations?.[key ?? ''] ?? '';
  switch (fieldPath) {
    case 'metadata.name':
      return metadata.name;
    case 'metadata.namespace':
      return metadata.namespace;
    case 'metadata.uid':
      return metadata.uid;
    case 'metadata.labels':
      return lines(metadata.labels);
    case 'metadata.annotations':
      return lines(metadata.annotations);
    case 'spec.nodeName':
      return spec.nodeName ?? '';
    case 'spec.serviceAccountName':
      return spec.serviceAccountName ?? 'default';
    case 'status.podIP':
    case 'status.podIPs':
      return podIp;
    case 'status.hostIP':
    case 'status.hostIPs':
      return '127.0.0.1';
    default:
      throw new Error(`read ${fieldPath} of the Pod: there is no such field`);
  }
}

function lines(table: Readonly<Record<string, string>> = {}): string {
  return Object.entries(table)
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .join('\n');
}
