import { sameKey, similarKey } from './event-keys.ts';
import { type KubeEvent, shortenMessage } from './kube-event.ts';

/** The distinct messages of similar events, as long as they keep coming. */
export interface SimilarEvents {
  readonly messages: ReadonlySet<string>;
  readonly lastAt: number;
}

const COMBINE_FROM = 10;
const COMBINE_WITHIN_MS = 10 * 60_000;
const COMBINED = '(combined from similar events): ';

/**
 * From the tenth distinct message on, similar events are combined into one with the latest message; its key ignores the
 * message. This ends when none came for ten minutes.
 */
export function combineSimilar(
  similar: SimilarEvents | undefined,
  event: KubeEvent,
  now: number,
): { readonly similar: SimilarEvents; readonly event: KubeEvent; readonly key: string } {
  const isGoingOn = similar !== undefined && now - similar.lastAt <= COMBINE_WITHIN_MS;
  const known = isGoingOn ? similar.messages : new Set<string>();
  const messages = new Set([...known, event.message]);
  if (messages.size < COMBINE_FROM) return { similar: { messages, lastAt: now }, event, key: sameKey(event) };
  // Bounds the set: the oldest message goes for each new one.
  const [oldest] = messages;
  messages.delete(oldest ?? '');
  const combined = { ...event, message: shortenMessage(`${COMBINED}${event.message}`) };
  return { similar: { messages, lastAt: now }, event: combined, key: similarKey(event) };
}
