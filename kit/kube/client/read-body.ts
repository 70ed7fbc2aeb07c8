import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { KubeError } from '../kube-error.ts';
import type { TransportResponse } from './transport.ts';

const unzip = promisify(gunzip);

/** Reads the whole response. A response larger than `most` bytes, decompressed, is not read to its end. */
export async function readBody(response: TransportResponse, most: number): Promise<string> {
  const { headers, body } = response;
  if (Number(headers['content-length'] ?? 0) > most) {
    body.destroy();
    throw tooLarge(most);
  }
  const bytes = await gather(body, most);
  if (!response.isWhole())
    throw new KubeError('CONNECTION_LOST', `read the response: it broke off after ${bytes.length} bytes`);
  if (headers['content-encoding'] !== 'gzip') return bytes.toString('utf8');
  try {
    return (await unzip(bytes, { maxOutputLength: most })).toString('utf8');
  } catch (error) {
    const large = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
    if (large) throw tooLarge(most, error);
    throw new KubeError('CONNECTION_LOST', 'decompress the response: it is truncated or damaged', { cause: error });
  }
}

function gather(body: Readable, most: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const closed = (): void =>
      reject(new KubeError('CONNECTION_LOST', 'read the response: the connection was closed before its end'));
    body.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > most) body.destroy(tooLarge(most));
      else chunks.push(chunk);
    });
    body.once('error', (error: Error) => {
      reject(
        error instanceof KubeError
          ? error
          : new KubeError('CONNECTION_LOST', `read the response: ${error.message}`, { cause: error }),
      );
    });
    body.once('end', () => {
      // A close after the end is harmless, and would otherwise create an error for every response.
      body.off('close', closed);
      resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, size));
    });
    body.once('close', closed);
  });
}

function tooLarge(most: number, cause?: unknown): KubeError {
  return new KubeError('RESPONSE_TOO_LARGE', `read the response: it has more than ${most} bytes`, {
    cause,
    details: { most },
  });
}
