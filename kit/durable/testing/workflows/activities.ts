import type { Payload } from '#kit/durable';
import { defineActivity } from '#kit/durable';

/** The test that uses the key decides how the work behaves; the note is for payloads. */
export type Work = { readonly key: string; readonly note?: Payload };

const FAST = { baseMs: 1, capMs: 5 };
const RETRY = { attempts: 3, backoff: FAST };

export const work = defineActivity<Work, Payload>('work', { retry: RETRY, timeoutMs: 20_000 });
export const workOnce = defineActivity<Work, Payload>('work-once', { retry: { attempts: 1, backoff: FAST } });
export const workPicky = defineActivity<Work, Payload>('work-picky', {
  retry: { ...RETRY, nonRetryable: ['HOPELESS'] },
});
/** An attempt has less time than a test waits. */
export const workImpatient = defineActivity<Work, Payload>('work-impatient', { retry: RETRY, timeoutMs: 300 });
export const workWatched = defineActivity<Work, Payload>('work-watched', { retry: RETRY, heartbeatMs: 500 });
export const workByDefault = defineActivity<Work, Payload>('work-by-default');
/** The second attempt comes long after the test. */
export const workPatient = defineActivity<Work, Payload>('work-patient', {
  retry: { attempts: 3, backoff: { baseMs: 3_600_000, capMs: 3_600_000 } },
});

export const ACTIVITIES = [work, workOnce, workPicky, workImpatient, workWatched, workByDefault, workPatient];

/** Has no implementation. */
export const workOfNobody = defineActivity<Work, Payload>('work-of-nobody', { retry: RETRY });
