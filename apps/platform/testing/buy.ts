import type { Payload } from '#kit/durable';
import { defineActivity } from '#kit/durable';

/** The next retry comes long after any test. */
export const buy = defineActivity<{ thing: string }, Payload>('buy', {
  retry: { attempts: 5, backoff: { baseMs: 3_600_000, capMs: 3_600_000 } },
});
