import type { KubeEvent } from './kube-event.ts';

/** How often an event was seen, and under which name it was written. */
export interface SeenEvent {
  readonly name: string;
  readonly namespace: string;
  readonly count: number;
  readonly firstTimestamp: string;
}

/** A repeated event keeps its first name and time, and its count is incremented. */
export function countSame(
  seen: SeenEvent | undefined,
  event: KubeEvent,
): { readonly seen: SeenEvent; readonly event: KubeEvent } {
  const { name, namespace } = event.metadata;
  const { firstTimestamp } = event;
  if (seen === undefined) return { seen: { name, namespace, count: 1, firstTimestamp }, event };
  const count = seen.count + 1;
  return {
    seen: { ...seen, count },
    event: {
      ...event,
      metadata: { name: seen.name, namespace: seen.namespace },
      firstTimestamp: seen.firstTimestamp,
      count,
    },
  };
}
