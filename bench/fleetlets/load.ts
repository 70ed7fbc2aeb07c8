import { encodeFrame } from '../../contexts/channels/adapters/frame-codec.ts';

/** The streams of an idle fleetlet. */
export const STREAMS = ['control', 'access', 'delivery', 'status'] as const;
export const DELIVERY_BYTES = 1024;
export const MESSAGE_BYTES = 256;

/** The size of such a message's frame on the wire, with its prefix: the raw side sends the same number of bytes. */
export function wireBytes(payload: number): number {
  const uid = '00000000-0000-7000-8000-000000000000';
  const frame = encodeFrame({
    kind: 'message',
    id: 1_000,
    target: uid,
    process: '',
    key: '',
    deadline: 0,
    redelivered: false,
    dropped: 0,
    payload: new Uint8Array(payload),
    chunkedSize: 0,
    sha256: new Uint8Array(0),
  });
  return 5 + frame.length;
}

/** The raw side's acknowledgement of a number of frames. */
export const RAW_ACK_BYTES = 12;

export function rawAck(count: number): Buffer {
  const ack = Buffer.alloc(RAW_ACK_BYTES);
  ack.writeUInt32BE(count, RAW_ACK_BYTES - 4);
  return ack;
}
