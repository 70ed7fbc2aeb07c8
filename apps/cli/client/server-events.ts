import { ClientError } from './client-error.ts';
import { parseJson } from './parse-json.ts';

/** What a stream says: something that happened, or only how far it is. */
export interface ServerEvent {
  /** To go on behind it. */
  readonly id: string | undefined;
  /** The type of what happened; absent when the stream only tells its position. */
  readonly type: string | undefined;
  readonly data: unknown;
}

/** Far beyond the largest thing that an event tells of. */
const EVENT_LENGTH = 16 * 1024 * 1024;

/** Server-sent events, as the HTML standard has them; a comment or an unknown field says nothing. */
export async function* readFrames(chunks: AsyncIterable<string>): AsyncGenerator<ServerEvent> {
  let text = '';
  for await (const chunk of chunks) {
    const blocks = `${text}${chunk}`.split(/\r?\n\r?\n/);
    text = blocks.pop() ?? '';
    if (text.length > EVENT_LENGTH) throw new ClientError('ANSWER_NOT_UNDERSTOOD', 'an event without an end came');
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
