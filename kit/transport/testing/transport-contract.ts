import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type Ends,
  MAX_FRAME_BYTES,
  setScene,
  type TransportStage,
  type TransportUnderTest,
} from './contract-scene.ts';
import { StreamRecorder } from './stream-recorder.ts';

export type { StageOptions, TransportStage, TransportUnderTest } from './contract-scene.ts';

/** What every transport has to do. */
export function transportContract(subject: TransportUnderTest): void {
  describe(`transport ${subject.name}`, { timeout: 120_000 }, () => {
    carries(subject);
    holdsBack(subject);
    ends(subject);
    goesWrong(subject);
    connects(subject);
  });
}

function carries(subject: TransportUnderTest): void {
  it('carries frames both ways, in order, 10,000 of them', async (t) => {
    const { calling, called } = await (await setScene(t, subject)).open();
    called.onFrame = (frame) => called.stream.send(frame);
    const texts = Array.from({ length: 10_000 }, (_, index) => `frame ${index}`);
    for (const text of texts) calling.stream.send(Buffer.from(text));
    await calling.until(() => calling.frames.length === texts.length);
    assert.deepEqual(called.texts(), texts);
    assert.deepEqual(calling.texts(), texts);
  });

  it('carries frames of any size: none, one byte, as many as a chunk has, a MiB', async (t) => {
    const { calling, called } = await (await setScene(t, subject)).open();
    const frames = [0, 1, 5, 8_191, 8_192, 16_379, 16_384, 65_536, 1_048_576, 0, 3].map((bytes, index) =>
      new Uint8Array(bytes).fill(index + 1),
    );
    for (const stream of [calling.stream, called.stream]) for (const frame of frames) stream.send(frame);
    for (const recorder of [calling, called]) {
      await recorder.until(() => recorder.frames.length === frames.length);
      for (const [index, frame] of frames.entries()) {
        assert.ok(Buffer.from(recorder.frames[index] ?? []).equals(frame), `frame ${index} of ${frame.length} bytes`);
      }
    }
  });

  it('carries many streams at once, each for itself', async (t) => {
    const scene = await setScene(t, subject);
    const streams: Ends[] = [];
    for (let index = 0; index < 20; index += 1) streams.push(await scene.open());
    for (let turn = 0; turn < 50; turn += 1) {
      for (const [index, { calling }] of streams.entries()) calling.stream.send(Buffer.from(`${index} ${turn}`));
    }
    for (const [index, { called }] of streams.entries()) {
      await called.until(() => called.frames.length === 50);
      assert.deepEqual(
        called.texts(),
        Array.from({ length: 50 }, (_, turn) => `${index} ${turn}`),
      );
    }
  });

  it('tells whoever is called who calls, before the first frame', async (t) => {
    const { called } = await (await setScene(t, subject)).open({ authorization: 'Bearer x', 'x-other': '1' });
    const { address, headers, certificate } = called.stream.peer;
    assert.notEqual(address, '');
    assert.equal(headers['authorization'], 'Bearer x');
    assert.equal(headers['x-other'], '1');
    assert.deepEqual(certificate && Buffer.from(certificate), subject.certificate && Buffer.from(subject.certificate));
  });

  it('tells nothing before the stream was handed over', async (t) => {
    const { connection, open } = await setScene(t, subject);
    const early = new StreamRecorder();
    const stream = connection.open(early);
    stream.destroy();
    assert.deepEqual(early.closes, []);
    assert.equal(await early.end(), 'CONNECTION_LOST');
    await open();
  });
}

const TOTAL_BYTES = 64 * 1024 * 1024;
/** What kernels take of a connection that nobody reads is some MiB; a transport must not take much more. */
const HELD_BYTES = 32 * 1024 * 1024;

function holdsBack(subject: TransportUnderTest): void {
  it('lets a sender feel that nobody reads, and loses nothing of it', async (t) => {
    const { calling, called } = await (await setScene(t, subject)).open();
    called.stream.pause();
    const frame = new Uint8Array(64 * 1024);
    let sent = 0;
    const send = async (): Promise<void> => {
      while (sent < TOTAL_BYTES) {
        const rooms = calling.rooms;
        const goesOn = calling.stream.send(frame);
        sent += frame.length;
        if (!goesOn) await calling.until(() => calling.rooms > rooms);
      }
    };
    const sending = send();
    await untilQuiet(() => sent);
    assert.ok(sent < HELD_BYTES, `${sent} bytes were taken, and nobody reads`);
    assert.equal(called.frames.length, 0);
    called.stream.resume();
    await sending;
    await called.until(() => called.frames.length === TOTAL_BYTES / frame.length);
    assert.ok(called.frames.every(({ length }) => length === frame.length));
  });

  it('stops in the middle of many frames that arrived together, and goes on with the next', async (t) => {
    const scene = await setScene(t, subject);
    const { calling, called } = await scene.open();
    const other = await scene.open();
    called.onFrame = () => called.stream.pause();
    for (const text of ['a', 'b', 'c']) calling.stream.send(Buffer.from(text));
    for (const seen of ['a', 'ab', 'abc']) {
      await called.until(() => called.frames.length >= seen.length);
      await roundTrip(other);
      assert.equal(called.texts().join(''), seen);
      called.stream.resume();
    }
  });

  it('does not hold up other streams when one is paused', async (t) => {
    const scene = await setScene(t, subject);
    const { calling, called } = await scene.open();
    const other = await scene.open();
    called.stream.pause();
    while (calling.stream.send(new Uint8Array(64 * 1024)));
    await roundTrip(other);
  });

  it('can be paused before anything has come', async (t) => {
    const scene = await setScene(t, subject);
    const other = await scene.open();
    const { calling, called } = await scene.open();
    called.stream.pause();
    calling.stream.pause();
    calling.stream.send(Buffer.from('down'));
    called.stream.send(Buffer.from('up'));
    await roundTrip(other);
    assert.deepEqual([calling.frames, called.frames], [[], []]);
    calling.stream.resume();
    called.stream.resume();
    await Promise.all([calling, called].map((recorder) => recorder.until(() => recorder.frames.length === 1)));
  });
}

function ends(subject: TransportUnderTest): void {
  for (const first of ['calling', 'called'] as const) {
    const second = first === 'calling' ? 'called' : 'calling';
    it(`ends in order when the one ${first} has said all: what was sent arrives, both ways`, async (t) => {
      const scene = await setScene(t, subject);
      const both = await scene.open();
      for (let index = 0; index < 100; index += 1) both[first].stream.send(new Uint8Array(10_000));
      both[second].stream.send(Buffer.from('until it hears of it'));
      both[first].stream.end();
      both[first].stream.send(Buffer.from('goes nowhere'));
      assert.deepEqual([await both[first].end(), await both[second].end()], ['in order', 'in order']);
      assert.equal(both[second].frames.length, 100);
      assert.deepEqual(both[first].texts(), ['until it hears of it']);
      both[second].stream.send(Buffer.from('goes nowhere'));
      await roundTrip(await scene.open());
      assert.deepEqual([both[first].closes.length, both[second].closes.length], [1, 1]);
    });

    it(`lets the one ${second} read in its own time what was sent before the end`, async (t) => {
      const scene = await setScene(t, subject);
      const both = await scene.open();
      both[second].stream.pause();
      for (const text of ['a', 'b', 'c']) both[first].stream.send(Buffer.from(text));
      both[first].stream.end();
      await roundTrip(await scene.open());
      assert.deepEqual([both[second].frames, both[second].closes], [[], []]);
      both[second].stream.resume();
      assert.equal(await both[second].end(), 'in order');
      assert.deepEqual(both[second].texts(), ['a', 'b', 'c']);
    });

    it(`is over at both ends once the one ${first} destroys it, and others go on`, async (t) => {
      const scene = await setScene(t, subject);
      const other = await scene.open();
      const both = await scene.open();
      both[first].stream.destroy();
      both[first].stream.destroy();
      both[first].stream.send(Buffer.from('goes nowhere'));
      assert.deepEqual([await both[first].end(), await both[second].end()], ['CONNECTION_LOST', 'CONNECTION_LOST']);
      await roundTrip(other);
      assert.deepEqual([both[first].closes.length, both[second].closes.length], [1, 1]);
    });
  }

  it('ends when both ends say so at once', async (t) => {
    const { calling, called } = await (await setScene(t, subject)).open();
    calling.stream.end();
    called.stream.end();
    assert.deepEqual([await calling.end(), await called.end()], ['in order', 'in order']);
  });

  it('leaves no stream behind when its connection is closed', async (t) => {
    const scene = await setScene(t, subject);
    const [one, two] = [await scene.open(), await scene.open()];
    await scene.connection.close();
    assert.equal(await scene.connection.closed, undefined);
    for (const { calling, called } of [one, two]) {
      assert.equal(calling.closes[0]?.code, 'CONNECTION_LOST');
      assert.equal(await called.end(), 'CONNECTION_LOST');
    }
  });
}

function goesWrong(subject: TransportUnderTest): void {
  it('closes all streams of a connection that was cut, at both ends', async (t) => {
    const scene = await setScene(t, subject);
    const [one, two] = [await scene.open(), await scene.open()];
    await roundTrip(one);
    scene.stage.cut();
    for (const { calling, called } of [one, two]) {
      assert.deepEqual([await calling.end(), await called.end()], ['CONNECTION_LOST', 'CONNECTION_LOST']);
    }
    assert.equal((await scene.connection.closed)?.code, 'CONNECTION_LOST');
    const late = new StreamRecorder();
    scene.connection.open(late).send(Buffer.from('goes nowhere'));
    assert.equal(await late.end(), 'CONNECTION_LOST');
  });

  it('refuses a stream whose taker throws, and no other', async (t) => {
    const scene = await setScene(t, subject);
    const other = await scene.open();
    const refused = new StreamRecorder();
    scene.connection.open(refused, { refuse: 'yes' }).send(Buffer.from('hello'));
    assert.equal(await refused.end(), 'REFUSED');
    assert.deepEqual(
      scene.thrown.map((error) => error instanceof Error && error.message),
      ['not this one'],
    );
    await roundTrip(other);
  });

  for (const first of ['calling', 'called'] as const) {
    it(`closes a stream on which the one ${first} sends more than is taken at once, and no other`, async (t) => {
      const scene = await setScene(t, subject);
      const other = await scene.open();
      const { [first]: large, [first === 'calling' ? 'called' : 'calling']: small } = await scene.open();
      large.stream.send(Buffer.from('a'));
      large.stream.send(new Uint8Array(MAX_FRAME_BYTES + 1));
      assert.deepEqual([await small.end(), await large.end()], ['FRAME_TOO_LARGE', 'FRAME_TOO_LARGE']);
      assert.deepEqual(small.texts(), ['a']);
      await roundTrip(other);
    });
  }
}

function connects(subject: TransportUnderTest): void {
  it('says so when nobody is there', async (t) => {
    const nowhere = await subject.nowhere();
    await assert.rejects(nowhere.connect(t.signal), { code: 'UNREACHABLE' });
  });

  it('does not connect for somebody who has gone', async (t) => {
    const { stage } = await setScene(t, subject);
    const why = new Error('gone');
    await assert.rejects(stage.transport.connect(AbortSignal.abort(why)), why);
  });

  it('takes no more connections when it is told so, and keeps those that it has', async (t) => {
    const scene = await setScene(t, subject);
    const open = await scene.open();
    await scene.stage.server.stopListening();
    await assert.rejects(connectAndTalk(scene.stage.transport, t.signal));
    await roundTrip(open);
  });

  it('leaves nothing open when the server is closed', async (t) => {
    const before = openSockets();
    const scene = await setScene(t, subject);
    const { calling, called } = await scene.open();
    await scene.stage.server.close();
    assert.deepEqual([await calling.end(), await called.end()], ['CONNECTION_LOST', 'CONNECTION_LOST']);
    await scene.connection.closed;
    await scene.stage.close();
    while (openSockets() > before) await delay(5);
  });
}

/** There and back, which takes longer than anything that was begun before. */
async function roundTrip({ calling, called }: Ends): Promise<void> {
  const [there, back] = [called.frames.length, calling.frames.length];
  calling.stream.send(Buffer.from('there'));
  await called.until(() => called.frames.length > there);
  called.stream.send(Buffer.from('back'));
  await calling.until(() => calling.frames.length > back);
}

/** A connection may come about and be good for nothing; then its first stream says so. */
async function connectAndTalk(transport: TransportStage['transport'], signal: AbortSignal): Promise<void> {
  const connection = await transport.connect(signal);
  try {
    const recorder = new StreamRecorder();
    connection.open(recorder).send(Buffer.from('hello'));
    await recorder.until(() => recorder.closes.length > 0);
    throw recorder.closes[0] ?? new Error('it was ended in order');
  } finally {
    await connection.close();
  }
}

/** A machine that is slow makes this return early, and then the test sees less than it could; it never fails for that. */
async function untilQuiet(progress: () => number): Promise<void> {
  let before: number;
  do {
    before = progress();
    await delay(300);
  } while (progress() !== before);
}

function openSockets(): number {
  return process.getActiveResourcesInfo().filter((kind) => /TCP|Pipe|TLS/.test(kind)).length;
}
