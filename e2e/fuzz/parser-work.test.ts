import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { growthRatio } from '#testing/cpu-ratio';
import { parseDoorPath } from '../../contexts/api-proxy/domain/door-path.ts';
import { requestFault } from '../../contexts/api-proxy/domain/request-fault.ts';
import { kindOf, secretsIn, streamKindOf } from '../../contexts/api-proxy/domain/request-kind.ts';
import { decodeControlReply, decodeControlRequest } from '../../contexts/channels/adapters/control-codec.ts';
import { decodeFrame, encodeFrame } from '../../contexts/channels/adapters/frame-codec.ts';
import { ChannelError } from '../../contexts/channels/domain/channel-error.ts';
import { mergeKubeconfigs, readKubeconfig } from '../../kit/kube/config/kubeconfig-document.ts';
import { KubeError, parseKubeConfig } from '../../kit/kube/index.ts';
import { PkiError, readSigningRequest } from '../../kit/pki/index.ts';
import { ArchiveError } from '../../kit/sealing/archive/archive-error.ts';
import { parseHeader } from '../../kit/sealing/archive/archive-header.ts';
import { FrameReader } from '../../kit/transport/grpc/frame-reader.ts';
import { TransportError } from '../../kit/transport/transport-error.ts';
import { refusing } from './refusing.ts';
import { createWebSocketReceiver } from './web-socket-receiver.ts';

/** Input for parsers that run on the main thread. At four times the size it may take four times the work, if it is accepted. */
interface Work {
  readonly why: string;
  readonly size: number;
  readonly input: (size: number) => Buffer;
  readonly run: (input: Buffer) => void;
}

const times = (hex: string, count: number): Buffer => Buffer.from(hex.repeat(count), 'hex');

function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value % 0x80) | 0x80, ...varint(Math.floor(value / 0x80))];
}

/** A protobuf field that holds these bytes. */
function held(field: number, bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from([(field << 3) | 2, ...varint(bytes.length)]), bytes]);
}

function readProtobuf(input: Buffer): void {
  refusing(ChannelError, () => void decodeFrame(input));
  refusing(ChannelError, () => void decodeControlRequest(input));
  refusing(ChannelError, () => void decodeControlReply(input));
}

const PROTOBUF: readonly Work[] = [
  {
    why: 'ids in one field',
    input: (n: number) => Buffer.from(encodeFrame({ kind: 'ack', ids: Array.from({ length: n }, (_, at) => at) })),
  },
  // Every kind of message, by its field number.
  ...[1, 2, 3, 4, 5, 6].flatMap((field) => [
    { why: `fields in message ${field}`, input: (n: number) => held(field, times('0801', n)) },
    { why: `texts in message ${field}`, input: (n: number) => held(field, times('120161', n)) },
    { why: `messages ${field} in each other`, input: (n: number) => nested(n, (inner) => held(field, inner)) },
  ]),
  { why: 'fields of a newer release', input: (n: number) => times('7a0161', n) },
  { why: 'groups that begin', input: (n: number) => times('7b', n) },
].map((work) => ({ ...work, size: 2_000, run: readProtobuf }));

function nested(depth: number, wrap: (inner: Buffer) => Buffer): Buffer {
  let inner: Buffer = Buffer.alloc(0);
  // Lengths contain lengths: the bytes grow a little faster than the depth.
  for (let level = 0; level < Math.min(depth, 4_000) / 4; level += 1) inner = wrap(inner);
  return inner;
}

/** An ASN.1 value. */
function der(tag: number, inner: Buffer): Buffer {
  const long = [inner.length >> 8, inner.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...(inner.length < 0x80 ? [inner.length] : [0x82, ...long])]), inner]);
}

/** Sized so that four times as much is still within the length that the parser reads at all. */
const ASN1: readonly Work[] = [
  { why: 'sequences in each other', input: (n: number) => nested(n, (inner) => der(0x30, inner)) },
  { why: 'sequences that do not end', input: (n: number) => times('3080', n) },
  { why: 'sets side by side', input: (n: number) => der(0x30, der(0x30, times('3100', n))) },
  { why: 'numbers', input: (n: number) => der(0x30, times('020101', n)) },
  { why: 'one long number', input: (n: number) => der(0x30, der(2, Buffer.alloc(n, 0x7f))) },
  { why: 'one long object identifier', input: (n: number) => der(0x30, der(6, Buffer.alloc(n, 0xff))) },
  { why: 'texts in pieces', input: (n: number) => der(0x30, der(0x24, times('040161', n))) },
].map((work) => ({
  ...work,
  size: 700,
  run: (input) => {
    const pem = `-----BEGIN CERTIFICATE REQUEST-----\n${input.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`;
    refusing(PkiError, () => void readSigningRequest(pem));
  },
}));

const HEADER_END = `"kdf":{"name":"scrypt","n":1024,"r":8,"p":1,"salt":"${'0'.repeat(32)}"},"check":"${'0'.repeat(64)}"}\n`;
const ARCHIVES: readonly Work[] = [
  { why: 'a list', input: (n: number) => `fleetshift-archive 1\n{"about":[${'1,'.repeat(n)}1],${HEADER_END}` },
  { why: 'lists in each other', input: (n: number) => `fleetshift-archive 1\n${'['.repeat(n)}\n` },
  { why: 'a line that does not end', input: (n: number) => `fleetshift-archive 1\n${' '.repeat(n)}` },
].map(({ why, input }) => ({
  why,
  size: 8_000,
  input: (n) => Buffer.from(input(n)),
  run: (bytes) => refusing(ArchiveError, () => void parseHeader(bytes)),
}));

const PATHS: readonly Work[] = [
  { why: 'segments', input: (n: number) => '/a'.repeat(n) },
  { why: 'nothing between slashes', input: (n: number) => '/'.repeat(n) },
  { why: 'dots', input: (n: number) => '/..'.repeat(n) },
  { why: 'escapes', input: (n: number) => `/${'%2e'.repeat(n)}` },
  { why: 'escapes of escapes', input: (n: number) => `/${'%25'.repeat(n)}2e` },
  { why: 'halves of escapes', input: (n: number) => `/${'%'.repeat(n)}` },
  { why: 'questions', input: (n: number) => `/a${'?watch=1&'.repeat(n)}` },
  { why: 'namespaces', input: (n: number) => `/api/v1${'/namespaces/proxy'.repeat(n)}` },
].map(({ why, input }) => ({
  why,
  size: 1_500,
  input: (n) => Buffer.from(`/targets/a/api${input(n)}`),
  run: (bytes) => {
    const { path } = parseDoorPath(bytes.toString()) ?? assert.fail('it is a door');
    kindOf({ method: 'POST', path, isUpgrade: false });
    secretsIn(path);
    streamKindOf(path);
    requestFault({ rawHeaders: [], httpVersion: '1.1', path, isUpgrade: false });
  },
}));

const GRPC: readonly Work[] = [
  { why: 'small frames at once', piece: Number.POSITIVE_INFINITY, input: (n: number) => times('000000000161', n) },
  { why: 'small frames byte by byte', piece: 1, input: (n: number) => times('000000000161', n) },
  { why: 'empty frames in pieces', piece: 7, input: (n: number) => times('0000000000', n) },
].map(({ why, piece, input }) => ({
  why,
  size: 1_500,
  input,
  run: (bytes) =>
    refusing(TransportError, () => {
      const reader = new FrameReader(65_536);
      const size = Math.min(piece, bytes.length);
      for (let at = 0; at < bytes.length; at += size) {
        reader.push(bytes.subarray(at, at + size));
        while (reader.next() !== undefined);
      }
    }),
}));

const WEB_SOCKETS: readonly Work[] = [
  { why: 'frames', input: (n: number) => times('82810000000061', n) },
  { why: 'pings', input: (n: number) => times('898000000000', n) },
  {
    why: 'parts of a message',
    input: (n: number) => Buffer.concat([times('02810000000061', 1), times('00810000000061', n)]),
  },
  {
    why: 'empty parts of a message',
    input: (n: number) => Buffer.concat([times('028000000000', 1), times('008000000000', n)]),
  },
].flatMap(({ why, input }) =>
  [1, 65_536].map((piece) => ({
    why: `${why}, ${piece === 1 ? 'byte by byte' : 'at once'}`,
    size: 300,
    input,
    run: (bytes: Buffer) => {
      const receiver = createWebSocketReceiver(() => {});
      for (let at = 0; at < bytes.length; at += piece) receiver.write(bytes.subarray(at, at + piece));
    },
  })),
);

const entries = (n: number, entry: (at: number) => string): string =>
  Array.from({ length: n }, (_, at) => entry(at)).join('');
const LIST_OF = { clusters: 'cluster', users: 'user', contexts: 'context' };
const KUBECONFIGS: readonly Work[] = [
  ...Object.entries(LIST_OF).map(([list, one]) => ({
    why: list,
    input: (n: number) => `current-context: a\n${list}:\n${entries(n, (at) => `- {name: n${at}, ${one}: {}}\n`)}`,
  })),
  { why: 'the same name', input: (n: number) => `users:\n${'- {name: a, user: {token: t}}\n'.repeat(n)}` },
  {
    why: 'data',
    input: (n: number) => `clusters: [{name: a, cluster: {certificate-authority-data: ${'QUJD'.repeat(n)}}}]\n`,
  },
].map(({ why, input }) => ({
  why,
  size: 150,
  input: (n) => Buffer.from(input(n)),
  run: (bytes) => {
    const text = bytes.toString();
    refusing(KubeError, () => {
      const document = readKubeconfig(text, { name: 'a', folder: undefined });
      mergeKubeconfigs([document, document]);
    });
    refusing(KubeError, () => void parseKubeConfig(text));
  },
}));

const ALL = { PROTOBUF, ASN1, ARCHIVES, PATHS, GRPC, WEB_SOCKETS, KUBECONFIGS };

for (const [parser, works] of Object.entries(ALL)) {
  describe(`the parser of ${parser.toLowerCase().replace('_', ' ')} takes work that grows with the input`, () => {
    for (const { why, size, input, run } of works) {
      it(why, () => {
        const made = new Map([size, 4 * size].map((n) => [n, input(n)]));
        const ratio = growthRatio((n) => run(made.get(n) ?? assert.fail()), size);
        assert.ok(ratio < 9, `four times the input took ${ratio} times the work`);
      });
    }
  });
}
