import assert from 'node:assert/strict';
import { decodeControlReply, decodeControlRequest } from '../../contexts/channels/adapters/control-codec.ts';
import { decodeFrame, encodeFrame } from '../../contexts/channels/adapters/frame-codec.ts';
import { ChannelError } from '../../contexts/channels/domain/channel-error.ts';
import { PkiError, readSigningRequest } from '../../kit/pki/index.ts';
import { ArchiveError } from '../../kit/sealing/archive/archive-error.ts';
import { parseHeader } from '../../kit/sealing/archive/archive-header.ts';
import { FrameReader } from '../../kit/transport/grpc/frame-reader.ts';
import { TransportError } from '../../kit/transport/transport-error.ts';
import { errorOfClose } from '../../kit/transport/websocket/close-code.ts';
import type { FuzzTarget } from './fuzz-target.ts';
import { refusing } from './refusing.ts';
import { createWebSocketReceiver } from './web-socket-receiver.ts';

const NONE = new Uint8Array(0);
const BYTES = Buffer.from('abc');
const HEADER = JSON.stringify({
  about: {},
  kdf: { name: 'scrypt', n: 1024, r: 8, p: 1, salt: '0'.repeat(32) },
  check: '0'.repeat(64),
});
const MAX_FRAME = 3_000;
/** Fed byte by byte: enough bytes that the reader has to join pieces. */
const IN_PIECES = Buffer.concat([
  Buffer.from('000000000a00', 'hex'),
  Buffer.alloc(2_560, 7),
  Buffer.from('0000000000', 'hex'),
]);
const PEM = '-----BEGIN CERTIFICATE REQUEST-----';
const END = '-----END CERTIFICATE REQUEST-----';

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
      // A ticket.
      Buffer.from('0a0728016a03616263', 'hex'),
      Buffer.from('2a020803', 'hex'),
      Buffer.from('1a0d5a0161090000000000000000', 'hex'),
      Buffer.from('22075d00000000080178', 'hex'),
      // Truncated inside a number, a string, a message; and a number of eleven bytes.
      Buffer.from('1a0208ff', 'hex'),
      Buffer.from('1a045a09616200', 'hex'),
      Buffer.from('1aff', 'hex'),
      Buffer.from('1a0c08ffffffffffffffffffff01', 'hex'),
      encodeFrame({ kind: 'bytes', data: NONE, end: false }),
    ],
    words: [],
    run: (input) => {
      // Decoded bytes are a view of what was read, and compare only with views of the same class.
      const bytes = new Uint8Array(input);
      refusing(ChannelError, () => {
        const frame = decodeFrame(bytes);
        // A frame that was decoded can be encoded, and decodes to the same.
        if (frame !== undefined && frame.kind !== 'message') assert.deepEqual(decodeFrame(encodeFrame(frame)), frame);
        else if (frame !== undefined) encodeFrame(frame);
      });
      refusing(ChannelError, () => void decodeControlRequest(bytes));
      refusing(ChannelError, () => void decodeControlReply(bytes));
    },
  },
  {
    name: 'signing-request',
    files: ['/kit/pki/signing-request.ts', '/kit/pki/pem.ts'],
    libraries: ['/asn1js/', '/@peculiar/'],
    // Complete requests are in the corpus: one created here would differ each time.
    seeds: [Buffer.from('30803080', 'hex'), PEM, `${PEM}\n?\n${END}\n`, `${PEM}${'A'.repeat(16_384)}${END}`],
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
      IN_PIECES,
      Buffer.from('000100000000', 'hex'),
      Buffer.from('000200000000', 'hex'),
      Buffer.from('0000ffffffff', 'hex'),
    ],
    words: [],
    run: (input) =>
      refusing(TransportError, () => {
        // The first byte determines the chunk size.
        const size = 1 + ((input[0] ?? 0) % 16);
        const reader = new FrameReader(MAX_FRAME);
        for (let at = 1; at < input.length; at += size) {
          reader.push(input.subarray(at, at + size));
          for (let frame = reader.next(); frame !== undefined; frame = reader.next())
            assert.ok(frame.length <= MAX_FRAME);
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
      const receiver = createWebSocketReceiver((code, reason) => {
        const error = errorOfClose(code, reason.toString());
        assert.ok(error === undefined || error instanceof TransportError);
      });
      receiver.write(input);
    },
  },
];
