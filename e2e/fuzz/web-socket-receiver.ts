import assert from 'node:assert/strict';
import * as ws from 'ws';

/** Exported by `ws`, but missing from its types. */
interface Receiver {
  on(event: string, listener: (...args: never[]) => void): void;
  write(bytes: Buffer): void;
}
const { Receiver: WebSocketReceiver } = ws as unknown as { Receiver: new (options: object) => Receiver };

/** The parser of frames sent by clients. */
export function createWebSocketReceiver(onClose: (code: number, reason: Buffer) => void): Receiver {
  const receiver = new WebSocketReceiver({ isServer: true, maxPayload: 65_536, binaryType: 'nodebuffer' });
  receiver.on('error', (error: Error & { code?: string }) => assert.match(error.code ?? '', /^WS_ERR_/));
  receiver.on('conclude', onClose);
  return receiver;
}
