import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { FakeClock } from '#testing/fake-clock';
import type { CloseReason, Frame, OpenFrame } from '../domain/frame.ts';
import { AcceptingEnd } from '../testing/accepting-end.ts';
import { settled } from '../testing/an-uplink.ts';
import { anOpen, RecordedLink } from '../testing/recorded-link.ts';
import type { AcceptorDeps, Admission } from './acceptor.ts';
import type { LinkPeer } from './link.ts';

function stage(deps: Partial<AcceptorDeps> = {}) {
  const clock = new FakeClock();
  const end = new AcceptingEnd({ clock, sleep: clock.sleep, ...deps });
  const from = (peer: Partial<LinkPeer>): RecordedLink => {
    const link = new RecordedLink(peer);
    link.handlers = end.acceptor.accept(link);
    return link;
  };
  const call = (...frames: Frame[]): RecordedLink => {
    const link = from({});
    for (const frame of frames) link.handlers?.frame(frame);
    return link;
  };
  return { clock, end, from, call, acceptor: end.acceptor };
}

const message = (id: number): Frame => ({
  kind: 'message',
  id,
  target: '',
  process: '',
  key: '',
  deadline: 0,
  redelivered: false,
  dropped: 0,
  payload: Buffer.from(`m${id}`),
  chunkedSize: 0,
  sha256: new Uint8Array(0),
});

suite('the acceptor', () => {
  test('counts bad frames by where they come from: the name of a session alone closes nothing of it', () => {
    const { end } = stage();
    const from = (address: string, ...frames: Frame[]): RecordedLink => {
      const link = new RecordedLink({ address });
      link.handlers = end.acceptor.accept(link);
      for (const frame of frames) link.handlers.frame(frame);
      return link;
    };
    const victim = from('10.0.0.1:1', anOpen({ channel: 'status' }));
    for (let count = 0; count < 5; count += 1) {
      from('10.0.0.2:1', anOpen({ channel: `c${count}` })).handlers?.malformed?.('no frame');
    }
    assert.equal(victim.isClosed(), false);
    for (let count = 0; count < 3; count += 1) victim.handlers?.malformed?.('no frame');
    assert.equal(victim.isClosed(), true);
  });

  test('keeps a connection short that carries control', () => {
    const { call } = stage();
    const isShort = (channel: string): boolean => call(anOpen({ channel })).isShort;
    assert.deepEqual(['index', 'control', 'status'].map(isShort), [false, true, false]);
  });

  test('answers with what this end remembers, then hands over messages', async () => {
    const { end, call } = stage();
    const link = call(anOpen(), message(1));
    const [opened] = link.sent;
    assert.ok(opened?.kind === 'opened');
    assert.equal(opened.version, 1);
    assert.equal(opened.session, 'the-accepting-end');
    assert.deepEqual(
      end.taken.map(({ text }) => text),
      ['m1'],
    );
    await settled();
    assert.deepEqual(link.sent[1], { kind: 'ack', ids: [1] });
  });

  const refusals: readonly { why: string; frames: Frame[]; reason: CloseReason }[] = [
    { why: 'the first frame is no open', frames: [message(1)], reason: 'malformed' },
    { why: 'it is opened twice', frames: [anOpen(), anOpen()], reason: 'malformed' },
    { why: 'bytes are not for a channel of messages', frames: [anOpen(), bytes()], reason: 'malformed' },
    { why: 'a session has a name', frames: [anOpen({ session: '' })], reason: 'malformed' },
    { why: 'names have an alphabet', frames: [anOpen({ channel: '../etc' })], reason: 'malformed' },
    { why: 'names end', frames: [anOpen({ channel: 'a'.repeat(201) })], reason: 'malformed' },
    { why: 'there are only so many shards', frames: [anOpen({ shards: 65 })], reason: 'malformed' },
    { why: 'a shard is one of them', frames: [anOpen({ shard: 2, shards: 2 })], reason: 'malformed' },
    {
      why: 'without an incarnation its second life would be taken for its first',
      frames: [anOpen({ memory: { ...anOpen().memory, incarnation: '' } })],
      reason: 'malformed',
    },
    { why: 'a ticket ends', frames: [anOpen({ ticket: new Uint8Array(20_000) })], reason: 'malformed' },
    { why: 'it is too new', frames: [anOpen({ version: 9, oldestVersion: 7 })], reason: 'version' },
  ];
  for (const { why, frames, reason } of refusals) {
    test(`closes as ${reason}: ${why}`, () => {
      const { call } = stage();
      assert.equal(call(...frames).closedWith?.reason, reason);
    });
  }

  test('a version that nobody has in common is refused with both ranges', () => {
    const { call } = stage();
    const said = call(anOpen({ version: 9, oldestVersion: 7 })).closedWith?.message ?? '';
    assert.match(said, /version 1\b/);
    assert.match(said, /7 to 9/);
  });

  test('pings are answered before and after a stream was opened', () => {
    const { call } = stage();
    const link = call({ kind: 'ping', nonce: 1 }, anOpen(), { kind: 'ping', nonce: 2 });
    assert.deepEqual(link.kinds(), ['pong', 'opened', 'pong']);
  });

  test('a stream that says nothing is given up after its time, one that is admitted slowly, too', async () => {
    const admission = Promise.withResolvers<Admission>();
    let aborted = false;
    const { clock, call, acceptor } = stage({
      admit: (_open, _peer, signal) => {
        signal.addEventListener('abort', () => (aborted = true));
        return admission.promise;
      },
    });
    const over = new AbortController();
    const run = acceptor.run(over.signal);
    const silent = call();
    const slow = call(anOpen());
    await clock.advance(5_000);
    assert.equal(silent.isClosed(), false);
    await clock.advance(5_000);
    assert.equal(silent.closedWith?.reason, 'unavailable');
    assert.equal(slow.closedWith?.reason, 'unavailable');
    assert.ok(aborted);
    over.abort();
    await run;
    assert.equal(clock.sleeping, 0);
  });

  test('one that has pinged and falls silent is destroyed after three beats; one that never did is left alone', async () => {
    const { clock, call, acceptor } = stage();
    const over = new AbortController();
    const run = acceptor.run(over.signal);
    const beating = call(anOpen({ channel: 'control' }), { kind: 'ping', nonce: 1 });
    const quiet = call(anOpen());
    const dead = call(anOpen({ channel: 'control', session: 'another' }));
    for (let beat = 0; beat < 5; beat += 1) {
      await clock.advance(5_000);
      beating.handlers?.frame({ kind: 'ping', nonce: beat });
    }
    assert.equal(dead.isDestroyed, true, 'whoever opens control and is never heard of again');
    await clock.advance(15_000);
    assert.equal(beating.isDestroyed, false);
    await clock.advance(5_000);
    assert.equal(beating.isDestroyed, true);
    assert.equal(quiet.isDestroyed, false);
    over.abort();
    await run;
  });

  test('who comes again has the channel, and the end of the stream that was before is of no account', () => {
    const ends: string[] = [];
    const { end, call } = stage();
    const admit = end.refuse;
    const first = call(anOpen());
    const channel = end.of('delivery');
    end.refuse = () => ({ kind: 'channel', channel, detached: () => ends.push('second') });
    const second = call(anOpen());
    assert.equal(first.isDestroyed, true);
    first.handlers?.frame(message(1));
    first.handlers?.closed(undefined);
    assert.deepEqual(end.taken, [], 'what the former stream says does not count');
    assert.deepEqual(ends, []);
    second.handlers?.frame(message(1));
    assert.equal(end.taken.length, 1);
    second.handlers?.closed(undefined);
    second.handlers?.closed(undefined);
    assert.deepEqual(ends, ['second']);
    end.refuse = admit;
  });

  test('a session has only so many streams, and a place that became free is free', () => {
    const { call } = stage({ maxStreamsPerSession: 2 });
    const one = call(anOpen());
    call(anOpen({ channel: 'status' }));
    assert.equal(call(anOpen({ channel: 'index' })).closedWith?.reason, 'tooMany');
    assert.equal(call(anOpen({ channel: 'index', session: 'another' })).isClosed(), false);
    one.handlers?.closed(undefined);
    assert.equal(call(anOpen({ channel: 'index' })).isClosed(), false);
  });

  test('streams of strangers that are being opened are bounded by address, and those of others by neither', () => {
    const { from } = stage({ strangers: { total: 4, each: 3 } });
    const hostile = [1, 2, 3, 4].map((port) => from({ address: `192.0.2.1:${port}` }));
    const refused = (links: readonly RecordedLink[]) => links.filter((link) => link.closedWith?.reason === 'tooMany');
    assert.deepEqual(refused(hostile), hostile.slice(3), 'a fourth of one address');
    const more = [1, 2].map((host) => from({ address: `[2001:db8::${host}]:5` }));
    assert.deepEqual(refused([...hostile, ...more]), [hostile[0], hostile[3]], 'the oldest of the one that has most');
    const honest = from({ address: '198.51.100.7:1' });
    assert.deepEqual(refused([...hostile, ...more]), [...hostile.slice(0, 2), hostile[3]]);
    honest.handlers?.frame(anOpen());
    assert.equal(honest.admissions, 1);
    const trusted = Array.from({ length: 10 }, () => from({ address: '192.0.2.1:9', isTrusted: true }));
    assert.deepEqual(refused([...trusted, honest]), []);
  });

  test('a stream that was refused and whose other end stays silent is cut after a while, and the oldest of too many at once', async () => {
    const { clock, from, acceptor } = stage({ strangers: { total: 1, each: 1 } });
    const over = new AbortController();
    const run = acceptor.run(over.signal);
    const links = Array.from({ length: 1_027 }, (_, port) => from({ address: `192.0.2.1:${port}` }));
    const cut = () => links.filter(({ isDestroyed }) => isDestroyed);
    assert.deepEqual(cut(), links.slice(1, 3), 'the first one has the only place');
    links.forEach((link, at) => {
      if (at === 1 || at === 2) link.handlers?.closed(undefined);
    });
    await clock.advance(5_000);
    assert.equal(cut().length, 2);
    await clock.advance(5_000);
    assert.deepEqual(cut(), links.slice(1));
    over.abort();
    await run;
  });

  test('what is no frame closes its stream; the third within a minute all of its session', () => {
    const told: string[] = [];
    const { clock, call } = stage({ onMalformed: (_peer, why) => told.push(why) });
    const bad = (): void => {
      const link = call(anOpen({ channel: 'status' }));
      link.handlers?.malformed?.('it is not of the protocol');
      link.handlers?.closed({ reason: 'malformed', message: '', retryAfterMs: 0 });
    };
    const good = call(anOpen({ channel: 'control' }));
    const other = call(anOpen({ session: 'another' }));
    bad();
    bad();
    clock.set(clock.now() + 61_000);
    bad();
    assert.equal(good.isClosed(), false, 'the first two are long ago');
    bad();
    bad();
    assert.equal(good.closedWith?.reason, 'malformed');
    assert.equal(other.isClosed(), false);
    assert.equal(told.length, 5);
  });

  test('what admission throws refuses the stream for now, and is told', async () => {
    const told: unknown[] = [];
    for (const admit of [
      () => {
        throw new Error('at once');
      },
      () => Promise.reject(new Error('later')),
    ]) {
      const { call } = stage({ admit, onError: (error) => told.push(error) });
      const link = call(anOpen());
      await settled();
      assert.equal(link.closedWith?.reason, 'unavailable');
      assert.doesNotMatch(link.closedWith.message, /at once|later/);
    }
    assert.equal(told.length, 2);
  });

  test('who goes while he is being admitted is told as gone to whoever admitted him', async () => {
    const admission = Promise.withResolvers<Admission>();
    const { end, call } = stage();
    call(anOpen());
    const channel = end.of('delivery');
    const { call: callSlowly } = stage({ admit: () => admission.promise });
    const link = callSlowly(anOpen());
    link.handlers?.closed(undefined);
    let detached = 0;
    admission.resolve({ kind: 'channel', channel, detached: () => (detached += 1) });
    await settled();
    assert.equal(detached, 1);
    assert.deepEqual(link.sent, []);
  });

  test('a raw stream is its taker’s, but for pings', () => {
    const frames: string[] = [];
    const taker = {
      frame: ({ kind }: Frame) => frames.push(kind),
      room: () => {},
      closed: () => frames.push('closed'),
    };
    const taken: [OpenFrame, number][] = [];
    const { end, call } = stage();
    end.refuse = () => ({
      kind: 'raw',
      take: (_link, open, version) => {
        taken.push([open, version]);
        return taker;
      },
    });
    const link = call(anOpen({ mode: 'bytes' }), { kind: 'ping', nonce: 1 }, bytes());
    link.handlers?.closed(undefined);
    assert.deepEqual(frames, ['bytes', 'closed']);
    assert.deepEqual(link.kinds(), ['pong']);
    assert.equal(taken[0]?.[1], 1);
  });

  test('streams are closed by what they were opened with, and told that somebody is back', () => {
    const { end, call, acceptor } = stage();
    const control = call(anOpen({ channel: 'control' }));
    const delivery = call(anOpen());
    acceptor.tellResumed(end.of('delivery'));
    assert.deepEqual(delivery.kinds(), ['opened', 'resumed']);
    acceptor.closeWhere(({ channel }) => channel === 'delivery', { reason: 'draining', message: '', retryAfterMs: 5 });
    assert.deepEqual(delivery.closedWith, { reason: 'draining', message: '', retryAfterMs: 5 });
    assert.equal(control.isClosed(), false);
    acceptor.destroyWhere(() => true);
    assert.equal(control.isDestroyed, true);
  });
});

function bytes(): Frame {
  return { kind: 'bytes', data: Buffer.from('x'), end: false };
}
