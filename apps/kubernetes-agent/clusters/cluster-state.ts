import type { ClusterFacts } from './cluster-facts.ts';

/** A cluster, as it was last seen. */
export interface SeenCluster extends ClusterFacts {
  readonly server: string;
  readonly instance: string;
}

/** How it stands with a cluster that a process has to serve. */
export type ClusterState =
  | { readonly kind: 'Connecting' }
  /** It answers; the platform has not said yet whose it is. */
  | { readonly kind: 'Registering'; readonly cluster: SeenCluster }
  | { readonly kind: 'Serving'; readonly cluster: SeenCluster }
  /** Somebody who goes before us serves it. */
  | { readonly kind: 'StandingBy'; readonly cluster: SeenCluster; readonly message: string }
  /** It does not answer, or not to us. It is asked again. */
  | { readonly kind: 'Unreachable'; readonly message: string }
  /** The platform does not let us, or another target is the same cluster. It is tried again, slowly. */
  | { readonly kind: 'Refused'; readonly message: string };

/** What is wrong, in one line that is the same for as long as it is. */
export function explained(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, cause } = error;
  if (!(cause instanceof Error) || message.includes(cause.message)) return message;
  return `${message}: ${explained(cause)}`;
}
