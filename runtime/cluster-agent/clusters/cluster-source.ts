import type { KubeConfig } from '#kit/kube';
import { contentHash, Secret } from '#kit/std';

/** Tells how a cluster is reached. */
export interface ClusterSource {
  /** The current configuration. Throws if it cannot be determined. */
  read(signal: AbortSignal): Promise<KubeConfig>;
  /** Calls the listener whenever the configuration may have changed, until the returned function is called. */
  onChanged(listener: () => void): () => void;
}

/** A source that never changes: files that it refers to are read again by their users. */
export function fixedSource(read: (signal: AbortSignal) => Promise<KubeConfig>): ClusterSource {
  return { read, onChanged: () => () => {} };
}

/**
 * Equal fingerprints mean the same server, reached in the same way as the same user. Reveals nothing about the
 * configuration.
 */
export function configFingerprint(config: KubeConfig): string {
  return contentHash(opened(config));
}

/** A secret prints as a placeholder, which would make all secrets look equal. */
function opened(value: unknown): unknown {
  if (value instanceof Secret) return value.reveal();
  if (Array.isArray(value)) return value.map(opened);
  if (typeof value !== 'object' || value === null) return value;
  const parts = Object.entries(value).filter(([, part]) => part !== undefined);
  return Object.fromEntries(parts.map(([name, part]) => [name, opened(part)]));
}
