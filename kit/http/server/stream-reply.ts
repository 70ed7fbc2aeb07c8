import type { FastifyReply } from 'fastify';
import type { HttpLog } from '../ports.ts';
import type { ByteStream } from '../routes/route.ts';
import type { Exchange } from './exchange.ts';

interface StreamDeps {
  readonly log: HttpLog;
  readonly stallMs: number;
}

/** Writes a stream until it ends, its client goes away, or the server wants to close. It always ends in order. */
export async function streamReply(
  stream: ByteStream,
  { exchange, reply }: { exchange: Exchange; reply: FastifyReply },
  { log, stallMs }: StreamDeps,
): Promise<void> {
  reply.hijack();
  const { raw } = reply;
  const { signal } = exchange;
  exchange.liftLimit();
  for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) raw.setHeader(name, value);
  // Proxies that collect answers before they pass them on are told not to.
  raw.writeHead(200, { 'content-type': stream.contentType, 'x-accel-buffering': 'no' });
  raw.flushHeaders();
  const write = async (chunk: string): Promise<void> => {
    signal.throwIfAborted();
    if (!raw.write(chunk)) await drained(raw, stallMs, signal);
  };
  try {
    await exchange.within(() => stream.run(write, signal));
  } catch (err) {
    if (!signal.aborted) log.error({ err, requestId: exchange.id }, 'stream broke off; its client will come back');
  } finally {
    raw.end();
  }
}

/** Waits until the client has taken what was written. One that takes nothing for too long is gone. */
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
