import type { KubeConfig } from '#kit/kube';

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
