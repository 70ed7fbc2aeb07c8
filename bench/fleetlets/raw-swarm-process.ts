import { once } from 'node:events';
import { type ClientHttp2Stream, connect } from 'node:http2';
import { answerParent } from './answer-parent.ts';
import { DELIVERY_BYTES, MESSAGE_BYTES, rawAck, STREAMS, wireBytes } from './load.ts';
import type { SwarmOrder } from './swarm-fleetlet.ts';

/** Clients of the raw server: they acknowledge each frame of a delivery. */
let frameBytes = wireBytes(DELIVERY_BYTES);

answerParent({
  connect: async ({ to, authority, who }: Omit<SwarmOrder, 'who'> & { who: readonly SwarmOrder['who'][] }) => {
    const begun = performance.now();
    await Promise.all(
      who.map(async ({ cert, key }) => {
        const session = connect(`https://localhost:${to.port}`, { cert, key, ca: authority });
        session.on('error', () => {});
        await Promise.all(STREAMS.map((name) => opened(session.request(headersOf(name), { endStream: false }), name)));
      }),
    );
    return performance.now() - begun;
  },
  expect: (what: 'deliveries' | 'messages') => {
    frameBytes = wireBytes(what === 'deliveries' ? DELIVERY_BYTES : MESSAGE_BYTES);
  },
});

function headersOf(name: string) {
  return { ':method': 'POST', ':path': `/${name}`, 'content-type': 'application/grpc+proto', te: 'trailers' };
}

async function opened(stream: ClientHttp2Stream, name: string): Promise<void> {
  stream.on('error', () => {});
  if (name === 'delivery') answer(stream);
  await once(stream, 'response');
}

function answer(stream: ClientHttp2Stream): void {
  let bytes = 0;
  stream.on('data', (data: Buffer) => {
    bytes += data.length;
    const frames = Math.floor(bytes / frameBytes);
    bytes -= frames * frameBytes;
    if (frames > 0) stream.write(rawAck(frames));
  });
}
