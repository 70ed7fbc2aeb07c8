import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { sleep } from '#kit/std';
import { TransportError } from '#kit/transport';
import { createMemoryTransport } from '#kit/transport/memory';
import { FakeClock } from '#testing/fake-clock';
import { frameAcceptor, frameConnections } from '../adapters/frame-links.ts';
import type { CloseReason } from '../domain/frame.ts';
import { AcceptingEnd } from '../testing/accepting-end.ts';
import { anUplink, settled, text, until } from '../testing/an-uplink.ts';
import type { Inbound } from './channel.ts';
import type { Connect, LinkConnection } from './link.ts';
import type { ChannelSpec, UplinkDeps } from './uplink.ts';

const CONTROL: ChannelSpec = { name: 'control', mode: 'reliable', connectionClass: 'control' };
const DELIVERY: ChannelSpec = { name: 'delivery', mode: 'reliable', connectionClass: 'control' };
const INDEX: ChannelSpec = { name: 'index', mode: 'reliable', connectionClass: 'bulk' };
const NO_SIGNAL = new AbortController().signal;

/** `kept` collects the number of each connection that is kept short. */
function stage({ kept, ...deps }: Partial<UplinkDeps> & { readonly kept?: number[] } = {}) {
  const end = new AcceptingEnd();
  const network = createMemoryTransport({ accept: frameAcceptor(end.acceptor.accept) });
  let connects = 0;
  let stalled = 0;
  const dial = frameConnections(network.transport);
  const connect: Connect = async (signal) => {
    connects += 1;
    const mine = connects;
    const connection = await dial(signal);
    const open: LinkConnection['open'] = (handlers) => {
      const link = connection.open(handlers);
      const send = link.send.bind(link);
      link.keepShort = () => void kept?.push(mine);
      link.send = (frame) => (mine <= stalled ? true : send(frame));
      return link;
    };
    return { open, closed: connection.closed, close: () => connection.close() };
  };
  const running = anUplink(connect, deps);
  /** Frames sent on the current connections are dropped silently. */
  const stall = (): void => {
    stalled = connects;
  };
  return { end, network: { ...network, stall }, running, uplink: running.uplink, connects: () => connects };
}

suite('Uplink', () => {
  test('messages go both ways, and what was not sent before a cut is sent after it', async (t) => {
    const { end, network, running, uplink } = stage();
    t.after(() => running.stop());
    const heard: string[] = [];
    let resumed = 0;
    const message = (inbound: Inbound): void => {
      heard.push(Buffer.from(inbound.payload).toString());
      inbound.ack();
    };
    const channel = uplink.open(DELIVERY, { message, resumed: () => (resumed += 1) });
    await channel.send({ payload: text('one') }, NO_SIGNAL);
    await until(() => end.taken.length === 1);
    await end.of('delivery').send({ payload: text('down') }, NO_SIGNAL);
    await until(() => heard.length === 1 && channel.buffered.messages === 0);
    network.cut();
    await channel.send({ payload: text('two') }, NO_SIGNAL);
    await until(() => end.taken.length === 2 && resumed === 1);
    assert.deepEqual(heard, ['down']);
    assert.deepEqual(
      end.taken.map(({ text: said, redelivered }) => [said, redelivered]),
      [
        ['one', false],
        ['two', false],
      ],
    );
  });

  test('the connection that carries control is kept short, and the one of bulk is not', async (t) => {
    const kept: number[] = [];
    const { end, running, uplink, network } = stage({ kept });
    t.after(() => running.stop());
    for (const spec of [CONTROL, DELIVERY, INDEX]) uplink.open(spec, { message: () => {} });
    await until(() => end.opens.length === 3);
    assert.deepEqual(kept, [1], 'once, on the first connection');
    network.cut();
    await until(() => end.opens.length === 6);
    assert.equal(kept.length, 2, 'and again on the one that replaces it');
  });

  test('control goes first, and the others wait for it', async (t) => {
    const { end, running, uplink } = stage();
    t.after(() => running.stop());
    uplink.open(DELIVERY, { message: () => {} });
    uplink.open(CONTROL, { message: () => {} });
    await until(() => end.opens.length === 2);
    assert.deepEqual(
      end.opens.map(({ channel }) => channel),
      ['control', 'delivery'],
    );
    assert.deepEqual(uplink.state, { kind: 'connected' });
  });

  test('bulk has a connection of its own, once there is a bulk channel and control is open, until it is idle', async (t) => {
    const clock = new FakeClock();
    const { end, running, uplink, connects } = stage({ clock, sleep: clock.sleep, heartbeatMs: 3_600_000 });
    t.after(() => running.stop());
    uplink.open(CONTROL, { message: () => {} });
    await until(() => end.opens.length === 1);
    assert.equal(connects(), 1);
    const index = uplink.open(INDEX, { message: () => {} });
    await until(() => end.opens.length === 2);
    assert.equal(connects(), 2);
    index.close();
    await settled();
    await clock.advance(61_000);
    await until(() => clock.sleeping === 1);
    uplink.open(INDEX, { message: () => {} });
    await until(() => end.opens.length === 3);
    assert.equal(connects(), 3);
  });

  test('a bulk connection that ends at a replica without the session is made again, and others stay', async (t) => {
    const { end, running, uplink, connects } = stage();
    t.after(() => running.stop());
    let refusals = 1;
    end.refuse = ({ channel }) => {
      if (channel !== 'index' || refusals === 0) return undefined;
      refusals -= 1;
      return { kind: 'refused', reason: 'unavailable', message: 'on standby' };
    };
    uplink.open(CONTROL, { message: () => {} });
    uplink.open(INDEX, { message: () => {} });
    await until(() => end.opens.length === 3);
    assert.equal(connects(), 3, 'bulk has a new connection, control has the one it had');
    refusals = 1;
    uplink.open({ ...INDEX, process: 'other' }, { message: () => {} });
    await until(() => end.opens.length === 5);
    assert.equal(connects(), 3, 'a connection that has opened a stream is the right one');
  });

  test('with nothing to do there is one timer, and after the end none', async () => {
    const clock = new FakeClock();
    const { end, running, uplink, network } = stage({ clock, sleep: clock.sleep });
    uplink.open(CONTROL, { message: () => {} });
    uplink.open(DELIVERY, { message: () => {} });
    await until(() => end.opens.length === 2);
    await clock.untilSleeping();
    assert.equal(clock.sleeping, 1);
    await running.stop();
    assert.equal(clock.sleeping, 0);
    await network.server.close();
  });

  const outcomes: readonly { why: string; reason: CloseReason; reopens: boolean }[] = [
    { why: 'it may be there later', reason: 'unavailable', reopens: true },
    { why: 'another one is there', reason: 'draining', reopens: true },
    { why: 'an old stream of ours may have been meant', reason: 'superseded', reopens: true },
    { why: 'others may go', reason: 'tooMany', reopens: true },
    { why: 'what was damaged once may be whole the next time', reason: 'corrupt', reopens: true },
    { why: 'control says so if it lasts', reason: 'revoked', reopens: true },
    { why: 'rules do not change by asking', reason: 'forbidden', reopens: false },
    { why: 'nobody knows it', reason: 'unknownChannel', reopens: false },
    { why: 'it is over in order', reason: 'done', reopens: false },
    { why: 'the same bytes would come again', reason: 'malformed', reopens: false },
    { why: 'it would not be smaller the next time', reason: 'tooLarge', reopens: false },
  ];
  for (const { why, reason, reopens } of outcomes) {
    test(`a channel that is refused as ${reason} ${reopens ? 'comes again' : 'is closed'}: ${why}`, async (t) => {
      const { end, running, uplink } = stage();
      t.after(() => running.stop());
      let refusals = 1;
      end.refuse = ({ channel }) => {
        if (channel !== 'delivery' || refusals === 0) return undefined;
        refusals -= 1;
        return { kind: 'refused', reason, message: 'not now' };
      };
      const closed: CloseReason[] = [];
      uplink.open(CONTROL, { message: () => {} });
      uplink.open(DELIVERY, { message: () => {}, closed: (said) => closed.push(said.reason) });
      const count = (): number => end.opens.filter(({ channel }) => channel === 'delivery').length;
      if (reopens) {
        await until(() => count() === 2);
        assert.deepEqual(closed, []);
      } else {
        await until(() => closed.length === 1);
        assert.deepEqual(closed, [reason]);
        assert.equal(count(), 1);
      }
      assert.equal(uplink.state.kind, 'connected');
    });
  }

  test('whoever is refused on control comes again slowly, and says why', async (t) => {
    const clock = new FakeClock();
    const { end, running, uplink } = stage({ clock, sleep: clock.sleep, random: () => 0.5 });
    t.after(() => running.stop());
    end.refuse = () => ({ kind: 'refused', reason: 'revoked', message: 'its certificate was revoked' });
    const channel = uplink.open(CONTROL, { message: () => {} });
    await until(() => uplink.state.kind === 'refused');
    assert.deepEqual(uplink.state, { kind: 'refused', reason: 'revoked', message: 'its certificate was revoked' });
    await clock.untilSleeping();
    end.refuse = () => undefined;
    await clock.advance(29_000);
    assert.equal(end.opens.length, 1);
    await clock.advance(2_000);
    await until(() => uplink.state.kind === 'connected');
    await channel.send({ payload: text('here') }, NO_SIGNAL);
    await until(() => end.taken.length === 1);
  });

  test('one that the transport says is refused is said to be, and comes again with longer and longer waits', async (t) => {
    const waits: number[] = [];
    const refused = new TransportError('PEER_NOT_TRUSTED', 'its certificate is not trusted');
    const running = anUplink(() => Promise.reject(refused), {
      random: () => 0.999,
      sleep: (ms, signal) => {
        if (ms > 0) waits.push(ms);
        return sleep(0, signal);
      },
      pace: { baseMs: 10, capMs: 10_000 },
    });
    t.after(() => running.stop());
    await until(() => waits.length >= 4);
    assert.deepEqual(waits.slice(0, 4), [10, 20, 40, 80]);
    assert.ok(running.states.some((state) => state.kind === 'refused' && state.message === refused.message));
  });

  test('waits are short after a short outage, and never longer than half of it', async (t) => {
    let now = 0;
    const waits: { readonly after: number; readonly ms: number }[] = [];
    const running = anUplink(() => Promise.reject(new Error('nothing listens')), {
      clock: { now: () => now },
      random: () => 0.999,
      sleep: (ms, signal) => {
        if (ms > 0) waits.push({ after: now, ms });
        now += ms;
        return sleep(0, signal);
      },
      pace: { baseMs: 250, capMs: 30_000 },
    });
    t.after(() => running.stop());
    await until(() => waits.some(({ ms }) => ms > 29_000));
    for (const { after, ms } of waits) assert.ok(ms <= Math.max(2_000, after / 2), `${ms} ms after ${after}`);
    assert.ok(waits.length < 20, 'a long outage is not met with ever more attempts');
  });

  test('a peer that closes right after opening does not make a hot loop', async (t) => {
    const clock = new FakeClock();
    const { end, running, uplink } = stage({
      clock,
      sleep: clock.sleep,
      random: () => 0.999,
      pace: { baseMs: 100, capMs: 10_000 },
    });
    t.after(() => running.stop());
    uplink.open(CONTROL, { message: () => {} });
    uplink.open(DELIVERY, { message: () => {} });
    await until(() => uplink.state.kind === 'connected');
    const count = (): number => end.opens.filter(({ channel }) => channel === 'delivery').length;
    for (let times = 1; times <= 6; times += 1) {
      await until(() => count() === times);
      await until(() => end.of('delivery').buffered.messages === 0);
      end.acceptor.closeWhere(({ channel }) => channel === 'delivery', {
        reason: 'unavailable',
        message: '',
        retryAfterMs: 0,
      });
      const before = clock.now();
      while (count() === times) {
        await clock.advance(100);
        if (count() > times) break;
      }
      const bound = 100 * 2 ** (times - 1);
      assert.ok(clock.now() - before >= bound * 0.9, `${clock.now() - before} of ${bound}`);
    }
  });

  test('a channel that is not answered in time is tried again, while the others go on', async (t) => {
    const clock = new FakeClock();
    const { end, running, uplink } = stage({ clock, sleep: clock.sleep, heartbeatMs: 3_600_000 });
    t.after(() => running.stop());
    end.refuse = ({ channel }) => (channel === 'delivery' ? new Promise(() => {}) : undefined);
    uplink.open(CONTROL, { message: () => {} });
    const channel = uplink.open(DELIVERY, { message: () => {} });
    await until(() => end.opens.length === 2);
    await settled();
    end.refuse = () => undefined;
    await clock.advance(9_999);
    assert.equal(end.opens.length, 2);
    await clock.advance(1);
    await settled();
    await clock.advance(20);
    await channel.send({ payload: text('late') }, NO_SIGNAL);
    await until(() => end.taken.length === 1);
    assert.equal(running.states.length, 2, 'one connection');
  });

  test('one that draws to its end says when to come back, and that is respected', async (t) => {
    const clock = new FakeClock();
    const { end, running, uplink } = stage({ clock, sleep: clock.sleep });
    t.after(() => running.stop());
    uplink.open(CONTROL, { message: () => {} });
    await until(() => uplink.state.kind === 'connected');
    end.acceptor.closeWhere(() => true, { reason: 'draining', message: 'a new one starts', retryAfterMs: 7_000 });
    await until(() => uplink.state.kind === 'disconnected');
    await clock.untilSleeping();
    await clock.advance(6_999);
    assert.equal(end.opens.length, 1);
    await clock.advance(30);
    await until(() => end.opens.length === 2);
  });

  test('a connection on which nothing is heard for three heartbeats is given up', async (t) => {
    const clock = new FakeClock();
    const { end, running, uplink, network } = stage({ clock, sleep: clock.sleep });
    t.after(() => running.stop());
    uplink.open(CONTROL, { message: () => {} });
    await until(() => uplink.state.kind === 'connected');
    await clock.untilSleeping();
    for (let beat = 0; beat < 10; beat += 1) {
      await clock.advance(5_000);
      await settled();
    }
    assert.equal(uplink.state.kind, 'connected', 'as long as pings are answered nothing happens');
    assert.equal(end.opens.length, 1);
    network.stall();
    for (let beat = 0; beat < 3; beat += 1) {
      assert.equal(uplink.state.kind, 'connected', `only ${beat} are missing`);
      await clock.advance(5_000);
      await settled();
    }
    await clock.advance(5_000);
    await until(() => uplink.state.kind === 'disconnected');
    await clock.untilSleeping();
    await clock.advance(20);
    await until(() => end.opens.length === 2);
    assert.ok(running.states.some((state) => state.kind === 'disconnected'));
  });

  test('what is no frame ends its stream only; the third within a minute the connection', async (t) => {
    const end = new AcceptingEnd();
    let spoilt = 3;
    const accept = frameAcceptor(end.acceptor.accept);
    const network = createMemoryTransport({
      accept: (stream) => {
        const handlers = accept(stream);
        let isFirst = true;
        const frame = (bytes: Uint8Array): void => {
          handlers.frame(bytes);
          if (isFirst && end.opens.at(-1)?.channel === 'delivery' && spoilt > 0) {
            spoilt -= 1;
            stream.send(new Uint8Array([0x1a, 0xff]));
          }
          isFirst = false;
        };
        return { frame, room: () => handlers.room(), closed: (error) => handlers.closed(error) };
      },
    });
    const running = anUplink(frameConnections(network.transport));
    t.after(() => running.stop());
    const closed: CloseReason[] = [];
    running.uplink.open(CONTROL, { message: () => {} });
    const channel = running.uplink.open(DELIVERY, {
      message: () => {},
      closed: ({ reason }) => closed.push(reason),
    });
    await channel.send({ payload: text('in spite of it') }, NO_SIGNAL);
    await until(() => running.states.filter(({ kind }) => kind === 'connected').length === 2);
    await until(() => channel.buffered.messages === 0);
    assert.deepEqual(closed, []);
    assert.deepEqual(
      running.states.map(({ kind }) => kind),
      ['connecting', 'connected', 'disconnected', 'connecting', 'connected'],
    );
  });

  test('shards are one channel: in order for each key, resumed once', async (t) => {
    const { end, network, running, uplink } = stage();
    t.after(() => running.stop());
    let resumed = 0;
    const channel = uplink.open({ ...DELIVERY, shards: 4 }, { message: () => {}, resumed: () => (resumed += 1) });
    for (let count = 0; count < 40; count += 1) {
      await channel.send({ payload: text(`${count}`), key: `k${count % 8}` }, NO_SIGNAL);
    }
    await until(() => end.taken.length === 40);
    assert.ok(new Set(end.taken.map(({ shard }) => shard)).size > 1);
    network.cut();
    await until(() => resumed === 1);
    await channel.send({ payload: text('again'), key: 'k1' }, NO_SIGNAL);
    await until(() => end.taken.length === 41);
    assert.equal(resumed, 1);
  });

  test('what comes back after both ends remembered is not sent again; one that forgot gets it with its mark', async (t) => {
    const { end, network, running, uplink } = stage();
    t.after(() => running.stop());
    end.onMessage = () => {};
    const channel = uplink.open(DELIVERY, { message: () => {} });
    await channel.send({ payload: text('held') }, NO_SIGNAL);
    await until(() => end.taken.length === 1);
    network.cut();
    await until(() => end.opens.length === 2);
    assert.equal(end.taken.length, 1);
    end.forget();
    network.cut();
    await until(() => end.taken.length === 2);
    assert.deepEqual(end.taken[1]?.redelivered, true);
  });

  test('a channel that is closed here leaves its stream and is told once', async (t) => {
    const { end, running, uplink } = stage();
    t.after(() => running.stop());
    const closed: CloseReason[] = [];
    const channel = uplink.open(
      { ...DELIVERY, shards: 2 },
      {
        message: () => {},
        closed: ({ reason }) => closed.push(reason),
      },
    );
    await until(() => end.opens.length === 2);
    channel.close();
    assert.deepEqual(closed, ['done']);
    assert.equal(channel.trySend({ payload: text('late') }), false);
  });
});
