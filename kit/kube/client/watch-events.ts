import { KubeError } from '../kube-error.ts';
import type { Streamed } from './exchange.ts';
import { FrameReader } from './frame-reader.ts';
import type { WatchEvent } from './kube-client.ts';
import type { KubeObject } from './kube-object.ts';
import { statusError } from './status-error.ts';

export interface WatchReading {
  readonly maxFrameBytes: number;
  readonly open: () => Promise<Streamed>;
}

/** The events of a watch, until the server ends it. A broken connection is `CONNECTION_LOST`. */
export async function* watchEvents<T extends KubeObject>(
  { maxFrameBytes, open }: WatchReading,
  signal: AbortSignal,
): AsyncGenerator<WatchEvent<T>, void, void> {
  const { response, deadline, failure } = await open();
  const frames = new FrameReader(maxFrameBytes);
  try {
    for await (const chunk of response.body as AsyncIterable<Buffer>) {
      for (const line of frames.push(chunk)) yield parseEvent<T>(line);
    }
    if (frames.held > 0) throw brokenOff(`the stream ended ${frames.held} bytes into an event`);
    if (!response.isWhole()) throw brokenOff('the stream broke off');
  } catch (error) {
    signal.throwIfAborted();
    throw failure(
      error instanceof KubeError ? error : brokenOff(error instanceof Error ? error.message : String(error), error),
    );
  } finally {
    deadline.end();
    response.body.destroy();
  }
}

function brokenOff(why: string, cause?: unknown): KubeError {
  return new KubeError('CONNECTION_LOST', why, { cause });
}

function parseEvent<T extends KubeObject>(line: string): WatchEvent<T> {
  const { type, object } = parseLine(line);
  if (type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED') return { type, object: object as T };
  if (type === 'BOOKMARK') {
    return { type, resourceVersion: (object as KubeObject).metadata.resourceVersion ?? '' };
  }
  if (type === 'ERROR') throw statusError({ doing: 'the server ended it', httpStatus: 500, body: object });
  throw new KubeError('RESPONSE_INVALID', `an event is of the unknown type ${JSON.stringify(type)}`);
}

function parseLine(line: string): { readonly type?: unknown; readonly object?: unknown } {
  try {
    return JSON.parse(line) as { type?: unknown; object?: unknown };
  } catch {
    // The parser quotes the text, which may be a secret.
    throw new KubeError('RESPONSE_INVALID', 'an event is not JSON');
  }
}
