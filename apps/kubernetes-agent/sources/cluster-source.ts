import type { KubeConfig } from '#kit/kube';

/** Where it is said how a cluster is reached. */
export interface ClusterSource {
  /** As it is now. Throws when it cannot be told at all. */
  read(signal: AbortSignal): Promise<KubeConfig>;
  /** Called whenever it may be another one; until what it returns is called. */
  onChanged(listener: () => void): () => void;
}

/** One that never changes: what stands in files is read anew by whoever uses it. */
export function fixedSource(read: (signal: AbortSignal) => Promise<KubeConfig>): ClusterSource {
  return { read, onChanged: () => () => {} };
}
