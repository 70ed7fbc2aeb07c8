import type { Patch } from '../../client/kube-client.ts';
import { combineSimilar, type SimilarEvents } from './combine-similar.ts';
import { countSame, type SeenEvent } from './count-same.ts';
import { objectKey, similarKey } from './event-keys.ts';
import type { KubeEvent } from './kube-event.ts';
import { RecentlyUsed } from './recently-used.ts';
import { type SpamBucket, takeToken } from './spam-bucket.ts';

/** The decision about an event. The event of a patch is complete, in case the server no longer has it. */
export type EventDecision =
  | { readonly kind: 'create'; readonly event: KubeEvent }
  | { readonly kind: 'patch'; readonly event: KubeEvent; readonly patch: Patch }
  | { readonly kind: 'skip' };

const REMEMBERED = 4096;

/**
 * Kubernetes' own rules for events, in the same order: similar events are combined, repeated ones are counted, and
 * events of an object with too many are skipped. Skipped events are counted too, so the next one that is written
 * includes them.
 */
export class EventCorrelator {
  readonly #similar = new RecentlyUsed<SimilarEvents>(REMEMBERED);
  readonly #seen = new RecentlyUsed<SeenEvent>(REMEMBERED);
  readonly #buckets = new RecentlyUsed<SpamBucket>(REMEMBERED);

  decide(occurred: KubeEvent, now: number): EventDecision {
    const combined = combineSimilar(this.#similar.get(similarKey(occurred)), occurred, now);
    this.#similar.set(similarKey(occurred), combined.similar);
    const before = this.#seen.get(combined.key);
    const { seen, event } = countSame(before, combined.event);
    this.#seen.set(combined.key, seen);
    const { bucket, taken } = takeToken(this.#buckets.get(objectKey(event)), now);
    this.#buckets.set(objectKey(event), bucket);
    if (!taken) return { kind: 'skip' };
    return before === undefined ? { kind: 'create', event } : { kind: 'patch', event, patch: patchOf(event) };
  }
}

function patchOf({ count, lastTimestamp, message }: KubeEvent): Patch {
  return { type: 'merge', patch: { count, lastTimestamp, message } };
}
