import type { IncomingMessage } from 'node:http';
import { WebhookError } from './webhook-error.ts';

/** Reads the whole body, or throws a `WebhookError` as soon as it is known to be unacceptable. The server limits the time. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<string> {
  const type = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (type !== 'application/json' || encoding !== 'identity') {
    throw new WebhookError('UNSUPPORTED_MEDIA_TYPE', 'read a review: the body must be application/json, not encoded');
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  // The connection stays open: the caller gets its response, and Node discards the rest.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) {
      throw new WebhookError('BODY_TOO_LARGE', `read a review: the body is larger than ${maxBytes} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
