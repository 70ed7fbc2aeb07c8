import { once } from 'node:events';
import { createSecureServer, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { answerParent } from './answer-parent.ts';
import { DELIVERY_BYTES, MESSAGE_BYTES, RAW_ACK_BYTES, STREAMS, wireBytes } from './load.ts';

/** Plain node:http2 with the same sockets, streams and frames. */
const streams: ServerHttp2Stream[] = [];
const deliveries: ServerHttp2Stream[] = [];
let acknowledged = 0;
let wake = (): void => {};

answerParent({
  listen: async (tls: { cert: string; key: string }) => {
    const server = createSecureServer({ ...tls, requestCert: true, rejectUnauthorized: false });
    server.on('stream', (stream: ServerHttp2Stream, headers) => {
      stream.on('error', () => {});
      stream.respond({ ':status': 200, 'content-type': 'application/grpc+proto' });
      stream.on('data', acks());
      streams.push(stream);
      if (headers[':path'] === '/delivery') deliveries.push(stream);
    });
    await once(server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }), 'listening');
    return (server.address() as AddressInfo).port;
  },
  there: () => streams.length / STREAMS.length,
  fanOut: async () => {
    const frame = Buffer.alloc(wireBytes(DELIVERY_BYTES), 'd');
    const begun = performance.now();
    acknowledged = 0;
    for (const stream of deliveries) stream.write(frame);
    await until(deliveries.length);
    return performance.now() - begun;
  },
  stream: async (messages: number) => {
    const [stream] = deliveries;
    if (stream === undefined) throw new Error('stream messages: nobody is there');
    const frame = Buffer.alloc(wireBytes(MESSAGE_BYTES), 'm');
    const begun = performance.now();
    acknowledged = 0;
    for (let sent = 0; sent < messages; sent += 1) if (!stream.write(frame)) await once(stream, 'drain');
    await until(messages);
    return performance.now() - begun;
  },
});

function acks(): (data: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (data) => {
    rest = rest.length === 0 ? data : Buffer.concat([rest, data]);
    for (; rest.length >= RAW_ACK_BYTES; rest = rest.subarray(RAW_ACK_BYTES)) {
      acknowledged += rest.readUInt32BE(RAW_ACK_BYTES - 4);
    }
    wake();
  };
}

async function until(count: number): Promise<void> {
  while (acknowledged < count) await new Promise<void>((resolve) => (wake = resolve));
}
