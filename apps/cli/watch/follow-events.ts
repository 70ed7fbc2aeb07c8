import { backoffDelay, FleetError, type Random, type Sleep } from '#kit/std';
import type { ApiClient } from '../client/api-client.ts';
import { ClientError } from '../client/client-error.ts';
import type { ServerEvent } from '../client/server-events.ts';

export interface Following {
  readonly api: Pick<ApiClient, 'events'>;
  readonly types: readonly string[];
  readonly sleep: Sleep;
  readonly random: Random;
  /** Reads how things are: at the start, and when events are gone that were not seen. */
  readonly begin: (signal: AbortSignal) => Promise<void>;
  readonly take: (event: ServerEvent, signal: AbortSignal) => Promise<void>;
  /** For a person: why nothing comes. */
  readonly note: (text: string) => void;
}

const AGAIN = { baseMs: 1_000, capMs: 30_000 };
/** The platform ends each stream now and then, to look at the credentials anew. */
const AFTER_END_MS = 500;

/** How things are, and then what happens, until the signal aborts. A connection that is lost is taken up again. */
export async function followEvents(following: Following, signal: AbortSignal): Promise<never> {
  const { api, types, sleep, random, begin, take, note } = following;
  let [lastEventId, failures]: [string | undefined, number] = [undefined, 0];
  for (;;) {
    try {
      for await (const event of api.events({ types, lastEventId }, signal)) {
        // The stream has told where it begins before things are read, so that nothing falls between the two.
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
      if (failures === 1) note(`${error.message}; trying again\n`);
      await sleep(backoffDelay(AGAIN, failures, random), signal);
    }
  }
}
