import type { ClusterFacts } from './cluster-facts.ts';

/** A cluster as last seen. */
export interface SeenCluster extends ClusterFacts {
  readonly server: string;
  readonly instance: string;
}

/** State of a cluster that this process has to serve. */
export type ClusterState =
  | { readonly kind: 'Connecting' }
  /** The cluster answers; the platform has not accepted the target yet. */
  | { readonly kind: 'Registering'; readonly cluster: SeenCluster }
  | { readonly kind: 'Serving'; readonly cluster: SeenCluster }
  /** Another agent with precedence serves it. */
  | { readonly kind: 'StandingBy'; readonly cluster: SeenCluster; readonly message: string }
  /** The cluster does not answer, or refuses us. Retried. */
  | { readonly kind: 'Unreachable'; readonly message: string }
  /** The platform refuses us, or another target is the same cluster. Retried slowly. */
  | { readonly kind: 'Refused'; readonly message: string };

/** The error in one line, which stays the same as long as the problem does. */
export function explained(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, cause } = error;
  if (!(cause instanceof Error) || message.includes(cause.message)) return message;
  return `${message}: ${explained(cause)}`;
}
