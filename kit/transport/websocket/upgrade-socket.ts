import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { WebSocket } from 'ws';
import type { Headers } from '../transport.ts';
import { TransportError } from '../transport-error.ts';

export interface UpgradeOptions {
  /** Without a scheme: `//host:port/path`. The TLS handshake is already complete, if there is one. */
  readonly url: string;
  readonly protocol: string;
  readonly maxFrameBytes: number;
  readonly withinMs: number;
}

export interface Upgrade {
  readonly headers: Headers;
  readonly signal: AbortSignal;
  /** Called as soon as it is open, before anything can arrive. */
  readonly opened: (webSocket: WebSocket) => void;
}

/** Upgrades a connection to a WebSocket; resolves when it is open. */
export async function upgradeSocket(socket: Socket, options: UpgradeOptions, upgrade: Upgrade): Promise<void> {
  const { url, protocol, maxFrameBytes, withinMs } = options;
  const webSocket = new WebSocket(`ws:${url}`, [protocol], {
    createConnection: () => socket,
    headers: upgrade.headers,
    perMessageDeflate: false,
    maxPayload: maxFrameBytes,
  });
  const late = AbortSignal.timeout(withinMs);
  const stop = AbortSignal.any([upgrade.signal, late]);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const onStop = (): void => webSocket.terminate();
  stop.addEventListener('abort', onStop, { once: true });
  webSocket.on('error', reject);
  webSocket.once('open', () => {
    upgrade.opened(webSocket);
    resolve();
  });
  webSocket.once('unexpected-response', (_, response) => reject(refused(response)));
  try {
    if (stop.aborted) onStop();
    await promise;
  } catch (error) {
    webSocket.terminate();
    socket.destroy();
    throw upgradeError(error, `upgrade to a WebSocket at ${url}`, late.aborted);
  } finally {
    stop.removeEventListener('abort', onStop);
  }
}

function refused({ statusCode, statusMessage }: IncomingMessage): TransportError {
  const message = `the WebSocket was answered with HTTP status ${statusCode} ${statusMessage ?? ''}`.trimEnd();
  const isForNow = statusCode === 429 || (statusCode !== undefined && statusCode >= 500);
  return new TransportError(isForNow ? 'UNREACHABLE' : 'REFUSED', message, { details: { httpStatus: statusCode } });
}

function upgradeError(error: unknown, doing: string, isLate: boolean): TransportError {
  if (error instanceof TransportError) return error;
  if (isLate) return new TransportError('UNREACHABLE', `${doing}: there was no answer in time`, { cause: error });
  const why = error instanceof Error ? error.message : String(error);
  // Network errors have a system code; an invalid answer has none, or one of the parser.
  const isNetwork = error instanceof Error && 'code' in error && /^E[A-Z]+$/.test(String(error.code));
  return new TransportError(isNetwork ? 'UNREACHABLE' : 'REFUSED', `${doing}: ${why}`, { cause: error });
}
