/** What one of the programs is told to do, in a process of its own. The client-go program reads the same JSON. */
export interface Orders {
  /** A file. */
  readonly kubeconfig: string;
  readonly namespace: string;
  readonly task: Task;
}

/** Each but the last is done `rounds` times after a first time that does not count. */
export type Task =
  | { readonly kind: 'list'; readonly count: number; readonly rounds: number }
  /** The events of the past, as fast as the server tells them. */
  | { readonly kind: 'watch'; readonly since: string; readonly count: number; readonly rounds: number }
  /** Server-side applies that change something each, so many at once and for so long. */
  | { readonly kind: 'apply'; readonly seconds: number; readonly width: number; readonly rounds: number }
  /** A cache of the namespace. */
  | { readonly kind: 'cache'; readonly count: number };

export interface Outcome {
  /** How many a second, in each round. */
  readonly rates: readonly number[];
  /** What the cache added to the heap, after a collection. */
  readonly heapBytes: number;
  readonly residentBytes: number;
}

export const LIST_CHUNK = 500;
const APPLIED_OBJECTS = 100;
export const FIELD_MANAGER = 'bench';

/** What is applied: the same object again and again, with another `turn`. */
export function applied(namespace: string, index: number, turn: string) {
  const name = `applied-${index % APPLIED_OBJECTS}`;
  const data = { note: 'x'.repeat(200), turn };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace, labels: { app: 'bench' } }, data };
}
