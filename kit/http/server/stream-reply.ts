import type { FastifyReply } from 'fastify';
import type { HttpLog } from '../ports.ts';
import type { ByteStream } from '../routes/route.ts';
import type { StreamEnd } from '../streams/open-streams.ts';
import type { Exchange } from './exchange.ts';

interface StreamDeps {
  readonly log: HttpLog;
  readonly stallMs: number;
}

interface StreamParts {
  readonly exchange: Exchange;
  readonly reply: FastifyReply;
  /** Aborts, with a `StreamEnd`, when the caller loses access. */
  readonly ended?: AbortSignal;
}

/**
 * Writes a stream until it ends, its client disconnects, or the server shuts down. It is ended in order, unless the
 * client must be cut off while it has not read all data.
 */
export async function streamReply(
  stream: ByteStream,
  { exchange, reply, ended = NEVER }: StreamParts,
  { log, stallMs }: StreamDeps,
): Promise<void> {
  reply.hijack();
  const { raw } = reply;
  const signal = AbortSignal.any([exchange.signal, ended]);
  exchange.liftLimit();
  for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) raw.setHeader(name, value);
  // Tells proxies not to buffer the response.
  raw.writeHead(200, { 'content-type': stream.contentType, 'x-accel-buffering': 'no' });
  raw.flushHeaders();
  const write = async (chunk: string): Promise<void> => {
    signal.throwIfAborted();
    if (!raw.write(chunk)) await drained(raw, stallMs, signal);
  };
  const close = (): void => {
    const { message } = ended.reason as StreamEnd;
    if (raw.writableLength > 0) raw.destroy();
    else raw.end(stream.lastWords?.(message) ?? '');
  };
  ended.addEventListener('abort', close, { once: true });
  if (ended.aborted) close();
  try {
    await exchange.within(() => stream.run(write, signal));
  } catch (err) {
    if (!signal.aborted) log.error({ err, requestId: exchange.id }, 'stream failed; the client will reconnect');
  } finally {
    ended.removeEventListener('abort', close);
    raw.end();
  }
}

const NEVER = new AbortController().signal;

/** Waits until the client has read what was written. A client that reads nothing for too long counts as gone. */
async function drained(raw: FastifyReply['raw'], stallMs: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(() => raw.destroy(), stallMs);
  const onAbort = (): void => reject(signal.reason);
  raw.once('drain', resolve);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    raw.off('drain', resolve);
    signal.removeEventListener('abort', onAbort);
  }
}
