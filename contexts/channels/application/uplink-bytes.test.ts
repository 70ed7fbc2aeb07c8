import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { createMemoryTransport } from '#kit/transport/memory';
import { frameAcceptor, frameConnections } from '../adapters/frame-links.ts';
import type { ChannelMemory } from '../domain/frame.ts';
import { AcceptingEnd } from '../testing/accepting-end.ts';
import { anUplink, until } from '../testing/an-uplink.ts';
import { type ByteHandlers, type ByteStream, LinkedBytes } from './byte-stream.ts';

const NO_MEMORY: ChannelMemory = {
  incarnation: '',
  ofIncarnation: undefined,
  receivedUpTo: 0,
  receivedAbove: [],
  unacknowledged: [],
};

/** Records the events of one end of a byte stream. */
class Ear implements ByteHandlers {
  text = '';
  size = 0;
  rooms = 0;
  isEnded = false;
  closes: (string | undefined)[] = [];

  data(data: Uint8Array): void {
    this.size += data.length;
    if (data.length < 1000) this.text += Buffer.from(data).toString();
  }

  room(): void {
    this.rooms += 1;
  }

  ended(): void {
    this.isEnded = true;
  }

  closed(why: string | undefined): void {
    this.closes.push(why);
  }
}

function stage() {
  const end = new AcceptingEnd();
  const far = { ear: new Ear(), stream: undefined as ByteStream | undefined };
  end.refuse = (open) => {
    if (open.mode !== 'bytes') return undefined;
    return {
      kind: 'raw',
      take: (link, _open, version) => {
        link.send({ kind: 'opened', version, session: 'far', memory: NO_MEMORY, window: { messages: 1, bytes: 1 } });
        const bytes = new LinkedBytes(link, far.ear);
        far.stream = bytes;
        return bytes;
      },
    };
  };
  const network = createMemoryTransport({ accept: frameAcceptor(end.acceptor.accept) });
  const running = anUplink(frameConnections(network.transport));
  running.uplink.open({ name: 'control', mode: 'reliable', connectionClass: 'control' }, { message: () => {} });
  return { end, far, network, running, uplink: running.uplink };
}

suite('bytes over an uplink', () => {
  test('go both ways, each end ends for itself, and then it is over without a reason', async (t) => {
    const { far, running, uplink } = stage();
    t.after(() => running.stop());
    await until(() => uplink.state.kind === 'connected');
    const near = new Ear();
    const stream = uplink.openBytes({ name: 'tunnel/api', stream: 'asked' }, near);
    assert.equal(stream.write(Buffer.from('before it is open')), false);
    await until(() => near.rooms === 1);
    stream.write(Buffer.from(', after'));
    stream.end();
    await until(() => far.ear.isEnded);
    assert.equal(far.ear.text, 'before it is open, after');
    far.stream?.write(Buffer.from('the answer to it'));
    far.stream?.end();
    await until(() => near.closes.length === 1 && far.ear.closes.length === 1);
    assert.equal(near.text, 'the answer to it');
    assert.deepEqual([near.closes, far.ear.closes], [[undefined], [undefined]]);
  });

  test('a receiver that pauses is felt by the sender, and nothing is lost', async (t) => {
    const { far, running, uplink } = stage();
    t.after(() => running.stop());
    await until(() => uplink.state.kind === 'connected');
    const near = new Ear();
    const stream = uplink.openBytes({ name: 'tunnel/api' }, near);
    await until(() => near.rooms === 1);
    far.stream?.pause();
    const chunk = Buffer.alloc(100_000);
    let sent = 0;
    for (let room = true; room; sent += chunk.length) room = stream.write(chunk);
    assert.ok(sent < 1_000_000);
    assert.equal(near.rooms, 1);
    far.stream?.resume();
    await until(() => near.rooms === 2 && far.ear.size === sent);
  });

  test('a cut is the end of it, at both ends, with a reason', async (t) => {
    const { far, network, running, uplink } = stage();
    t.after(() => running.stop());
    await until(() => uplink.state.kind === 'connected');
    const near = new Ear();
    uplink.openBytes({ name: 'tunnel/api' }, near);
    await until(() => near.rooms === 1);
    network.cut();
    await until(() => near.closes.length === 1 && far.ear.closes.length === 1);
    assert.ok(near.closes[0] && far.ear.closes[0]);
    await until(() => uplink.state.kind === 'connected');
    assert.equal(near.closes.length, 1);
  });

  test('where there is no connection it is closed, but not before the call has returned', async (t) => {
    const { running, uplink, network } = stage();
    t.after(() => running.stop());
    await until(() => uplink.state.kind === 'connected');
    await network.server.close();
    await until(() => uplink.state.kind !== 'connected');
    const near = new Ear();
    uplink.openBytes({ name: 'tunnel/api', connectionClass: 'bulk' }, near);
    assert.deepEqual(near.closes, []);
    await until(() => near.closes.length === 1);
  });

  test('a refusal is a reason, and so is what the other end gives it up with', async (t) => {
    const { end, far, running, uplink } = stage();
    t.after(() => running.stop());
    await until(() => uplink.state.kind === 'connected');
    const given = new Ear();
    uplink.openBytes({ name: 'tunnel/api' }, given);
    await until(() => given.rooms === 1);
    far.stream?.destroy('the target is gone');
    await until(() => given.closes.length === 1);
    assert.deepEqual(given.closes, ['the target is gone']);
    end.refuse = () => ({ kind: 'refused', reason: 'forbidden', message: 'not for you' });
    const refused = new Ear();
    uplink.openBytes({ name: 'tunnel/api' }, refused);
    await until(() => refused.closes.length === 1);
    assert.deepEqual(refused.closes, ['not for you']);
  });
});
