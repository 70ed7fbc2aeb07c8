import { ClientError } from './client-error.ts';
import { parseJson } from './parse-json.ts';

/** A message of the event stream: an event, or only a position. */
export interface ServerEvent {
  /** The position to resume after. */
  readonly id: string | undefined;
  /** The event type; absent when the message only carries a position. */
  readonly type: string | undefined;
  readonly data: unknown;
}

/** Much larger than the largest event. */
const EVENT_LENGTH = 16 * 1024 * 1024;

/** Parses server-sent events as in the HTML standard; comments and unknown fields are ignored. */
export async function* readFrames(chunks: AsyncIterable<string>): AsyncGenerator<ServerEvent> {
  let text = '';
  for await (const chunk of chunks) {
    const blocks = `${text}${chunk}`.split(/\r?\n\r?\n/);
    text = blocks.pop() ?? '';
    if (text.length > EVENT_LENGTH)
      throw new ClientError('ANSWER_NOT_UNDERSTOOD', 'received an event that is too large');
    for (const block of blocks) {
      const frame = readFrame(block);
      if (frame !== undefined) yield frame;
    }
  }
}

function readFrame(block: string): ServerEvent | undefined {
  const fields = new Map<string, string>();
  for (const line of block.split(/\r?\n/)) {
    const [, name = '', value = ''] = /^([^:]+)(?:: ?(.*))?$/.exec(line) ?? [];
    const before = name === 'data' ? fields.get(name) : undefined;
    fields.set(name, before === undefined ? value : `${before}\n${value}`);
  }
  const [id, type, data] = ['id', 'event', 'data'].map((name) => fields.get(name));
  if (id === undefined && data === undefined) return undefined;
  return { id, type: data === undefined ? undefined : type, data: data === undefined ? undefined : parseJson(data) };
}
