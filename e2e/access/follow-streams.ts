import assert from 'node:assert/strict';
import { TextDecoderStream } from 'node:stream/web';
import type { Platform } from '#testing/platform-process';
import { ask, type Caller } from './callers.ts';

export interface FollowedStream {
  readonly name: string;
  /** The whole stream, once the platform has ended it. */
  readonly text: Promise<string>;
}

/** Opens the streams of all callers, each from the first event on. */
export async function followStreams(
  platform: Platform,
  callers: readonly Caller[],
  paths: readonly string[],
): Promise<readonly FollowedStream[]> {
  const streams: FollowedStream[] = [];
  for (const { name, token } of callers) {
    for (const path of paths) {
      const answer = await ask(platform, token, `${path}?from=beginning`);
      assert.equal(answer.headers.get('content-type'), 'text/event-stream', `${path} as ${name}`);
      streams.push({ name: `${path} as ${name}`, text: whole(answer) });
    }
  }
  return streams;
}

async function whole({ body }: Response): Promise<string> {
  let text = '';
  try {
    for await (const part of body?.pipeThrough(new TextDecoderStream()) ?? []) text += part;
  } catch {
    // A stopping platform may cut its streams; the text received so far counts.
  }
  return text;
}
