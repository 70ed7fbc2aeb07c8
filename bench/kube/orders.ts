/** The orders of one of the programs, which runs as a separate process. The client-go program reads the same JSON. */
export interface Orders {
  /** Path of the kubeconfig. */
  readonly kubeconfig: string;
  readonly namespace: string;
  readonly task: Task;
}

/** Each task but the last is repeated `rounds` times, after a warm-up that does not count. */
export type Task =
  | { readonly kind: 'list'; readonly count: number; readonly rounds: number }
  /** Past events, as fast as the server sends them. */
  | { readonly kind: 'watch'; readonly since: string; readonly count: number; readonly rounds: number }
  /** Server-side applies that each change something, `width` at once for `seconds`. */
  | { readonly kind: 'apply'; readonly seconds: number; readonly width: number; readonly rounds: number }
  /** A cache of the namespace. */
  | { readonly kind: 'cache'; readonly count: number };

export interface Outcome {
  /** Operations per second, for each round. */
  readonly rates: readonly number[];
  /** Of each apply in these rounds, in milliseconds; empty for other tasks. */
  readonly latencies: readonly number[];
  /** The heap growth caused by the cache, after a collection. */
  readonly heapBytes: number;
  readonly residentBytes: number;
}

export const LIST_CHUNK = 500;
const APPLIED_OBJECTS = 100;
export const FIELD_MANAGER = 'bench';

/** The object to apply: the same each time, with another `turn`. */
export function applied(namespace: string, index: number, turn: string) {
  const name = `applied-${index % APPLIED_OBJECTS}`;
  const data = { note: 'x'.repeat(200), turn };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace, labels: { app: 'bench' } }, data };
}
