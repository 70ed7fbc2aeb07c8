import { backoffDelay, FleetError, type Random, type Sleep } from '#kit/std';
import type { ApiClient } from '../client/api-client.ts';
import { ClientError } from '../client/client-error.ts';
import type { ServerEvent } from '../client/server-events.ts';

export interface Following {
  readonly api: Pick<ApiClient, 'events'>;
  readonly types: readonly string[];
  readonly sleep: Sleep;
  readonly random: Random;
  /** Reads the current state: at the start, and after events were missed. */
  readonly begin: (signal: AbortSignal) => Promise<void>;
  readonly take: (event: ServerEvent, signal: AbortSignal) => Promise<void>;
  /** Tells the user why no events arrive. */
  readonly note: (text: string) => void;
}

const AGAIN = { baseMs: 1_000, capMs: 30_000 };
/** The platform closes each stream from time to time, so that credentials are checked again. */
const AFTER_END_MS = 500;

/** Reports the current state and then events, until the signal aborts. A lost connection is reopened. */
export async function followEvents(following: Following, signal: AbortSignal): Promise<never> {
  const { api, types, sleep, random, begin, take, note } = following;
  let [lastEventId, failures]: [string | undefined, number] = [undefined, 0];
  for (;;) {
    try {
      for await (const event of api.events({ types, lastEventId }, signal)) {
        // The stream reports its position before the state is read, so that no event is lost between the two.
        if (lastEventId === undefined) await begin(signal);
        lastEventId = event.id ?? lastEventId;
        failures = 0;
        if (event.type !== undefined) await take(event, signal);
      }
      await sleep(AFTER_END_MS, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ClientError && error.code === 'EVENTS_GONE') {
        lastEventId = undefined;
        continue;
      }
      if (!(error instanceof FleetError && error.entry.retry === 'later')) throw error;
      failures += 1;
      if (failures === 1) note(`${error.message}; retrying\n`);
      await sleep(backoffDelay(AGAIN, failures, random), signal);
    }
  }
}
