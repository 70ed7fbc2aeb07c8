import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Stream, StreamHandlers } from '#kit/transport';
import { createMemoryTransport } from '#kit/transport/memory';
import type { FrameLink, LinkHandlers } from '../application/link.ts';
import type { CloseFrame, Frame } from '../domain/frame.ts';
import { until } from '../testing/an-uplink.ts';
import { encodeFrame } from './frame-codec.ts';
import { frameAcceptor, frameConnections } from './frame-links.ts';

class Heard implements LinkHandlers {
  readonly frames: Frame[] = [];
  readonly closes: (Omit<CloseFrame, 'kind'> | undefined)[] = [];
  readonly faults: string[] = [];

  frame(frame: Frame): void {
    this.frames.push(frame);
  }

  room(): void {}

  closed(why: Omit<CloseFrame, 'kind'> | undefined): void {
    this.closes.push(why);
  }

  malformed(message: string): void {
    this.faults.push(message);
  }
}

function stage() {
  const far = { heard: new Heard(), link: undefined as FrameLink | undefined };
  const network = createMemoryTransport({
    accept: frameAcceptor((link) => {
      far.link = link;
      return far.heard;
    }),
  });
  return { far, network };
}

const SIGNAL = new AbortController().signal;

suite('frames over a transport', () => {
  test('what one end closes with the other hears, once, after all that was sent before', async () => {
    const { far, network } = stage();
    const connection = await frameConnections(network.transport, () => ({ authorization: 'Bearer x' }))(SIGNAL);
    const near = new Heard();
    const link = connection.open(near);
    link.send({ kind: 'ping', nonce: 7 });
    link.close({ reason: 'forbidden', message: 'not this one', retryAfterMs: 3 });
    link.send({ kind: 'ping', nonce: 8 });
    await until(() => far.heard.closes.length === 1 && near.closes.length === 1);
    assert.deepEqual(far.heard.frames, [{ kind: 'ping', nonce: 7 }]);
    assert.deepEqual(far.heard.closes, [{ reason: 'forbidden', message: 'not this one', retryAfterMs: 3 }]);
    assert.deepEqual(near.closes, [undefined]);
    assert.equal(far.link?.peer.headers['authorization'], 'Bearer x');
    await connection.close();
    assert.deepEqual([near.closes.length, far.heard.closes.length], [1, 1]);
  });

  test('a close whose reason has a kind of its own, as that of a replica on standby, is a close', async () => {
    const { far, network } = stage();
    const link = (await frameConnections(network.transport)(SIGNAL)).open(new Heard());
    const away = { kind: 'away', reason: 'unavailable', message: 'on standby', retryAfterMs: 3 } as const;
    link.close(away);
    await until(() => far.heard.closes.length === 1);
    assert.deepEqual(far.heard.closes, [{ reason: 'unavailable', message: 'on standby', retryAfterMs: 3 }]);
  });

  test('a connection that is lost is the end without a reason, for both', async () => {
    const { far, network } = stage();
    const connection = await frameConnections(network.transport)(SIGNAL);
    const near = new Heard();
    connection.open(near).send({ kind: 'ping', nonce: 1 });
    await until(() => far.heard.frames.length === 1);
    network.cut();
    await connection.closed;
    assert.deepEqual([near.closes, far.heard.closes], [[undefined], [undefined]]);
  });

  test('what is no frame closes its stream as malformed and is told at both ends; what is unknown is passed over', async () => {
    const { far, network } = stage();
    const connection = await network.transport.connect(SIGNAL);
    const said: Uint8Array[] = [];
    let closes = 0;
    const handlers: StreamHandlers = {
      frame: (bytes) => said.push(bytes),
      room: () => {},
      closed: () => (closes += 1),
    };
    const stream: Stream = connection.open(handlers);
    stream.send(new Uint8Array([0xea, 0x04, 0]));
    stream.send(encodeFrame({ kind: 'ping', nonce: 1 }));
    stream.send(new Uint8Array([0x1a, 0xff]));
    stream.send(encodeFrame({ kind: 'ping', nonce: 2 }));
    await until(() => closes === 1);
    assert.deepEqual(far.heard.frames, [{ kind: 'ping', nonce: 1 }]);
    assert.equal(far.heard.faults.length, 1);
    assert.deepEqual(
      far.heard.closes.map((why) => why?.reason),
      ['malformed'],
    );
    assert.equal(said.length, 1, 'a close frame');
    await connection.close();
  });
});
