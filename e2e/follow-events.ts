import { TextDecoderStream } from 'node:stream/web';
import type { Platform } from '#testing/platform-process';

/** An event as received from the stream. */
export interface StreamedEvent {
  /** Its ordinal number in the stream. */
  readonly position: number;
  /** The `id` of its frame; a client resumes with it. */
  readonly resumeId: string;
  readonly type: string;
  readonly id: string;
  readonly workspace: string;
  readonly subject: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Follows `GET /v1/events`. Leaving the loop disconnects; the loop ends when the server ends the stream. */
export async function* followEvents(platform: Platform, query: string): AsyncGenerator<StreamedEvent> {
  const hangUp = new AbortController();
  const answer = await platform.request(`/v1/events${query}`, { signal: hangUp.signal });
  if (answer.status !== 200 || answer.body === null) {
    throw new Error(`follow events: ${answer.status} ${await answer.text()}`);
  }
  try {
    let [rest, position] = ['', 0];
    for await (const text of answer.body.pipeThrough(new TextDecoderStream())) {
      const frames = (rest + text).split('\n\n');
      rest = frames.pop() ?? '';
      for (const frame of frames) {
        const event = eventIn(frame);
        if (event !== undefined) yield { ...event, position: (position += 1) };
      }
    }
  } finally {
    hangUp.abort();
  }
}

/** Frames without data move the position and keep the connection alive; they are not events. */
function eventIn(frame: string): Omit<StreamedEvent, 'position'> | undefined {
  const field = (name: string): string | undefined =>
    frame
      .split('\n')
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2);
  const data = field('data');
  if (data === undefined) return undefined;
  return { ...(JSON.parse(data) as Omit<StreamedEvent, 'position' | 'resumeId'>), resumeId: field('id') ?? '' };
}
