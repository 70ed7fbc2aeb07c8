import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import * as ws from 'ws';
import { decodeControlReply, decodeControlRequest } from '../../contexts/channels/adapters/control-codec.ts';
import { decodeFrame, encodeFrame } from '../../contexts/channels/adapters/frame-codec.ts';
import { ChannelError } from '../../contexts/channels/domain/channel-error.ts';
import { createSigningRequest, PkiError, readSigningRequest } from '../../kit/pki/index.ts';
import { ArchiveError } from '../../kit/sealing/archive/archive-error.ts';
import { parseHeader } from '../../kit/sealing/archive/archive-header.ts';
import { FrameReader } from '../../kit/transport/grpc/frame-reader.ts';
import { TransportError } from '../../kit/transport/transport-error.ts';
import { errorOfClose } from '../../kit/transport/websocket/close-code.ts';
import type { FuzzTarget } from './fuzz-target.ts';

const NONE = new Uint8Array(0);
const BYTES = Buffer.from('abc');
const HEADER = JSON.stringify({
  about: {},
  kdf: { name: 'scrypt', n: 1024, r: 8, p: 1, salt: '0'.repeat(32) },
  check: '0'.repeat(64),
});
const PEM = '-----BEGIN CERTIFICATE REQUEST-----';
const END = '-----END CERTIFICATE REQUEST-----';

function refusing(kind: abstract new (...args: never[]) => Error, action: () => void): void {
  try {
    action();
  } catch (error) {
    if (!(error instanceof kind)) throw error;
  }
}

function requestOf(type: 'ec' | 'ed25519'): Buffer {
  const { privateKey } =
    type === 'ec' ? generateKeyPairSync('ec', { namedCurve: 'prime256v1' }) : generateKeyPairSync('ed25519');
  return Buffer.from(createSigningRequest(privateKey, 'a').split('\n').slice(1, -2).join(''), 'base64');
}

/** Of `ws`, which does not name it in its types. */
interface Receiver {
  on(event: string, listener: (...args: never[]) => void): void;
  write(bytes: Buffer): void;
}
const { Receiver: WebSocketReceiver } = ws as unknown as { Receiver: new (options: object) => Receiver };

export const BYTE_TARGETS: readonly FuzzTarget[] = [
  {
    name: 'protobuf',
    files: ['/channels/adapters/wire.ts', '/channels/adapters/frames-by-hand.ts'],
    libraries: ['/channels/adapters/', '/bufbuild/protobuf/'],
    seeds: [
      encodeFrame({
        kind: 'message',
        id: 300,
        target: 't',
        process: 'p',
        key: 'k',
        deadline: 2 ** 40,
        redelivered: true,
        dropped: 1,
        payload: BYTES,
        chunkedSize: 9,
        sha256: BYTES,
      }),
      encodeFrame({
        kind: 'message',
        id: 1,
        target: '',
        process: '',
        key: '',
        deadline: 0,
        redelivered: false,
        dropped: 0,
        payload: NONE,
        chunkedSize: 0,
        sha256: NONE,
      }),
      encodeFrame({ kind: 'chunk', id: 1, offset: 2, data: BYTES }),
      encodeFrame({ kind: 'ack', ids: [1, 300, 2 ** 35] }),
      encodeFrame({ kind: 'bytes', data: BYTES, end: true }),
      Buffer.from('2a020803', 'hex'),
      Buffer.from('1a0d5a0161090000000000000000', 'hex'),
      Buffer.from('22075d00000000080178', 'hex'),
    ],
    words: [],
    run: (input) => {
      refusing(ChannelError, () => {
        const frame = decodeFrame(input);
        // What can be read can be written, and reads the same again.
        if (frame !== undefined && frame.kind !== 'message') assert.deepEqual(decodeFrame(encodeFrame(frame)), frame);
        else if (frame !== undefined) encodeFrame(frame);
      });
      refusing(ChannelError, () => void decodeControlRequest(input));
      refusing(ChannelError, () => void decodeControlReply(input));
    },
  },
  {
    name: 'signing-request',
    files: ['/kit/pki/signing-request.ts', '/kit/pki/pem.ts'],
    libraries: ['/asn1js/', '/@peculiar/'],
    seeds: [requestOf('ec'), requestOf('ed25519'), Buffer.from('30803080', 'hex'), Buffer.from(PEM)],
    words: [PEM, END],
    run: (input) => {
      refusing(PkiError, () => void readSigningRequest(`${PEM}\n${input.toString('base64')}\n${END}\n`));
      refusing(PkiError, () => void readSigningRequest(input.toString('latin1')));
    },
  },
  {
    name: 'archive-header',
    files: ['/archive/archive-header.ts'],
    libraries: [],
    seeds: [`fleetshift-archive 1\n${HEADER}\n`, 'fleetshift-archive 2\n{}', 'fleetshift-archive 1\n{', 'PK'],
    words: ['fleetshift-archive ', '1\n', '\n', '{', '}', '"kdf"', '"n":', '1048577', '-1', '1e9'],
    run: (input) => refusing(ArchiveError, () => void parseHeader(input)),
  },
  {
    name: 'grpc-frame',
    files: ['/grpc/frame-reader.ts'],
    libraries: [],
    seeds: [
      Buffer.from('0000000003616263000000000000000000016100', 'hex'),
      Buffer.from('0100000000', 'hex'),
      Buffer.from('00ffffffff', 'hex'),
    ],
    words: [],
    run: (input) =>
      refusing(TransportError, () => {
        // Its first byte says how it is cut.
        const size = 1 + ((input[0] ?? 0) % 16);
        const reader = new FrameReader(1_000);
        for (let at = 1; at < input.length; at += size) {
          reader.push(input.subarray(at, at + size));
          for (let frame = reader.next(); frame !== undefined; frame = reader.next()) assert.ok(frame.length <= 1_000);
        }
      }),
  },
  {
    name: 'websocket-frame',
    files: ['/websocket/close-code.ts'],
    libraries: ['/node_modules/ws/'],
    seeds: [
      Buffer.from('828300000000616263', 'hex'),
      Buffer.from('888200000000 03e8'.replaceAll(' ', ''), 'hex'),
      Buffer.from('888200000000 03ea'.replaceAll(' ', ''), 'hex'),
      Buffer.from('898000000000', 'hex'),
      Buffer.from('02810000000061808100000000 62'.replaceAll(' ', ''), 'hex'),
    ],
    words: [],
    run: (input) => {
      const receiver = new WebSocketReceiver({ isServer: true, maxPayload: 65_536, binaryType: 'nodebuffer' });
      receiver.on('error', (error: Error & { code?: string }) => assert.match(error.code ?? '', /^WS_ERR_/));
      receiver.on('conclude', (code: number, reason: Buffer) => {
        const error = errorOfClose(code, reason.toString());
        assert.ok(error === undefined || error instanceof TransportError);
      });
      receiver.write(input);
    },
  },
];
