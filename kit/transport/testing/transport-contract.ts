import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { PATIENCE_MS } from '#testing/patience';
import { connects } from './contract-connects.ts';
import { endsStreams } from './contract-ends.ts';
import { goesWrong } from './contract-goes-wrong.ts';
import { type Ends, roundTrip, setScene, type TransportUnderTest } from './contract-scene.ts';
import { StreamRecorder } from './stream-recorder.ts';

/** The contract of every transport. */
export function transportContract(subject: TransportUnderTest): void {
  describe(`transport ${subject.name}`, { timeout: PATIENCE_MS }, () => {
    carries(subject);
    holdsBack(subject);
    endsStreams(subject);
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
    const scene = await setScene(t, subject);
    const early = new StreamRecorder();
    scene.connection.open(early).destroy();
    assert.deepEqual(early.closes, []);
    assert.equal(await early.end(), 'CONNECTION_LOST');
    await scene.open();
  });
}

const MIB = 1024 * 1024;
/** A transport may hold this much itself; the kernel buffers more of a connection that is not read, within its own limits. */
const HELD_BYTES = 16 * MIB + kernelBytes();
const FRAME_BYTES = 64 * 1024;
/** The sender waits before it has sent all of these. */
const FRAMES = Math.ceil((HELD_BYTES + 32 * MIB) / FRAME_BYTES);

/** What the kernel holds of one connection at most, on both ends: the last number of each setting. */
function kernelBytes(): number {
  const most = ['rmem', 'wmem'].map((buffer) => {
    const file = `/proc/sys/net/ipv4/tcp_${buffer}`;
    return existsSync(file) ? Number(readFileSync(file, 'utf8').trim().split(/\s+/).at(-1)) : 8 * MIB;
  });
  return most.reduce((sum, bytes) => sum + bytes, 0);
}

function holdsBack(subject: TransportUnderTest): void {
  it('lets a sender feel that nobody reads, and loses nothing of it', async (t) => {
    const { calling, called } = await (await setScene(t, subject)).open();
    called.stream.pause();
    const frame = new Uint8Array(FRAME_BYTES);
    let sent = 0;
    const send = async (): Promise<void> => {
      while (sent < FRAMES * FRAME_BYTES) {
        const rooms = calling.rooms;
        const goesOn = calling.stream.send(frame);
        sent += frame.length;
        if (!goesOn) await calling.until(() => calling.rooms > rooms);
      }
    };
    const sending = send();
    await untilQuiet(() => sent);
    assert.ok(sent < HELD_BYTES, `${sent} bytes were accepted without a reader`);
    assert.equal(called.frames.length, 0);
    called.stream.resume();
    await sending;
    await called.until(() => called.frames.length === FRAMES);
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

/** On a slow machine this returns early; then the test checks less, but never fails. */
async function untilQuiet(progress: () => number): Promise<void> {
  let before: number;
  do {
    before = progress();
    await delay(300);
  } while (progress() !== before);
}
