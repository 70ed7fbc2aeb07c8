import assert from 'node:assert/strict';
import type { Inbound, LinkedChannel } from '../../application/channel.ts';
import type { FrameLink, Handshake } from '../../application/link.ts';
import { createReliableChannel } from '../../application/reliable-channel.ts';
import type { Frame } from '../../domain/frame.ts';
import type { Side, Story, StoryEvent, WorldOptions } from './channel-story.ts';
import { asFrame, cut, type Stream } from './cut-stream.ts';
import { payloadOf, uidOf } from './numbered-payload.ts';
import { WatchedWindow } from './watched-window.ts';

interface End {
  readonly side: Side;
  life: number;
  channel: LinkedChannel;
  stream: Stream | undefined;
  held: Inbound[];
  deferred: (() => void)[];
  resumed: number;
  /** Streams that were attached in this life. */
  attached: number;
}

/** Two ends of one channel, and streams between them that fail on command. Fully deterministic. */
export class ChannelWorld {
  readonly stories: Story[] = [];
  readonly ends: readonly [End, End];
  /** The outcome, for comparing two runs. */
  readonly log: string[] = [];
  /** Losses reported to the receivers, by sender. */
  readonly reportedLosses: [number, number] = [0, 0];
  /** A handshake arrived after a later one of another incarnation. */
  cameLate = false;
  readonly #options: WorldOptions;
  readonly #streams = new Set<Stream>();
  #dialed = 0;
  #newestOpened: Stream | undefined;
  #lives = 0;
  #handedOut = 0;
  #now = 1_000;

  constructor(options: WorldOptions) {
    this.#options = options;
    this.ends = [this.#born(0), this.#born(1)];
  }

  apply(it: StoryEvent): void {
    switch (it.do) {
      case 'send':
        this.send(it.side, it);
        break;
      case 'deliver':
        for (let left = it.count; left > 0 && this.#deliver(it.side, it.oldest); left -= 1);
        break;
      case 'ack':
        this.#ack(this.ends[it.side], it.which);
        break;
      case 'tick':
        this.#tick(this.ends[it.side]);
        break;
      case 'cut':
        for (const stream of this.#streams) cut(stream, it.arrive);
        break;
      case 'notice':
        this.#notice(this.ends[it.side]);
        break;
      case 'connect':
        this.#connect();
        break;
      case 'restart':
        this.#restart(this.ends[it.side]);
        break;
      case 'pass':
        this.#now += it.ms;
    }
    this.#boundsHold();
  }

  /** No more faults: runs until there is nothing left to do. */
  heal(): void {
    for (let round = 0; round < 2_000; round += 1) {
      for (const end of this.ends) this.#notice(end);
      this.#connect();
      let busy = false;
      for (const end of this.ends) {
        while (this.#deliver(end.side, true)) busy = true;
        if (end.held.length > 0 || end.deferred.length > 0) busy = true;
        while (end.held.length > 0) this.#ack(end, 0);
        this.#tick(end);
      }
      this.#boundsHold();
      if (!busy && this.ends.every(({ channel }) => channel.buffered.messages === 0)) return;
    }
    assert.fail(`never comes to rest: ${this.ends.map(({ channel }) => JSON.stringify(channel.buffered)).join(' ')}`);
  }

  send(side: Side, { size, lane, ttl }: { size: number; lane: number; ttl: number }): Story | undefined {
    const end = this.ends[side];
    const uid = this.stories.length;
    const story: Story = { uid, from: side, lane, life: end.life, settled: undefined, handed: [], acked: false };
    const payload = payloadOf(uid, size);
    this.stories.push(story);
    const taken = end.channel.trySend({
      payload,
      target: `target-${lane % 2}`,
      key: lane < 2 ? '' : `key-${lane}`,
      ...(ttl > 0 && { deadline: this.#now + ttl }),
      settled: (how) => {
        assert.equal(story.settled, undefined, `${uid} is settled twice`);
        story.settled = how;
        this.log.push(`${uid} ${how}`);
      },
    });
    if (taken) return story;
    this.stories.pop();
    return undefined;
  }

  #born(side: Side): End {
    this.#lives += 1;
    const life = this.#lives;
    const deferred: (() => void)[] = [];
    const { mode, window, buffer, limits } = this.#options;
    const channel = createReliableChannel({
      name: 'world',
      mode,
      window,
      buffer,
      limits,
      handlers: {
        message: (message) => this.#handed(this.ends[side], message),
        resumed: () => {
          this.ends[side].resumed += 1;
        },
      },
      newIncarnation: () => `life-${life}`,
      now: () => this.#now,
      sha256: quickSum,
      defer: (run) => deferred.push(run),
    });
    return { side, life, channel, stream: undefined, held: [], deferred, resumed: 0, attached: 0 };
  }

  #handed(end: End, message: Inbound): void {
    const uid = uidOf(message.payload);
    const story = this.stories[uid];
    assert.ok(story !== undefined && story.from !== end.side, `${uid} was never sent`);
    assert.deepEqual(message.payload, payloadOf(uid, message.payload.length), `${uid} is not what was sent`);
    assert.equal(message.target, `target-${story.lane % 2}`);
    story.handed.push({ life: end.life, redelivered: message.redelivered, at: this.#handedOut });
    this.#handedOut += 1;
    this.reportedLosses[story.from] += message.dropped;
    this.log.push(`${uid} handed${message.redelivered ? ' again' : ''}, ${message.dropped} lost`);
    end.held.push(message);
  }

  #ack(end: End, which: number): void {
    const [message] = end.held.splice(which % Math.max(1, end.held.length), 1);
    if (message === undefined) return;
    const story = this.stories[uidOf(message.payload)];
    if (story !== undefined) story.acked = true;
    message.ack();
  }

  #tick(end: End): void {
    for (const run of end.deferred.splice(0)) run();
  }

  #notice(end: End): void {
    const { stream } = end;
    if (stream === undefined || !stream.isCut) return;
    stream.pipes[end.side] = [];
    end.stream = undefined;
    end.channel.detach();
  }

  #restart(end: End): void {
    if (end.stream !== undefined) {
      cut(end.stream, [end.side === 0 ? 0 : 2, end.side === 1 ? 0 : 2]);
      end.stream.pipes[end.side] = [];
    }
    // The application's memory is lost with the process.
    Object.assign(end, this.#born(end.side));
  }

  #connect(): void {
    const [caller] = this.ends;
    if (caller.stream !== undefined) return;
    this.#dialed += 1;
    const [number, life] = [this.#dialed, caller.life];
    const stream: Stream = {
      number,
      life,
      pipes: [[], []],
      full: [false, false],
      windows: [undefined, undefined],
      isCut: false,
    };
    this.#streams.add(stream);
    caller.stream = stream;
    stream.pipes[1].push(asFrame(caller.channel.handshake()));
  }

  /** Delivers one frame, if there is one. */
  #deliver(side: Side, oldest: boolean): boolean {
    const streams = [...this.#streams].filter(({ pipes }) => pipes[side].length > 0);
    const stream = oldest ? streams[0] : streams.at(-1);
    const frame = stream?.pipes[side].shift();
    if (stream === undefined || frame === undefined) return false;
    if (frame.kind === 'open') this.#opened(stream, side, frame);
    else if (this.ends[side].stream === stream) this.#frame(stream, this.ends[side], frame);
    this.#tellRoom(stream, side === 0 ? 1 : 0);
    if (stream.isCut && stream.pipes[0].length + stream.pipes[1].length === 0) this.#streams.delete(stream);
    return true;
  }

  #frame(stream: Stream, end: End, frame: Frame): void {
    if (frame.kind === 'ack') stream.windows[end.side]?.acknowledged(frame.ids);
    end.channel.frame(frame);
  }

  /** The handshake of the other side has arrived. The accepting side answers with its own. */
  #opened(stream: Stream, side: Side, theirs: Handshake): void {
    const end = this.ends[side];
    if (side === 0) {
      if (end.stream === stream) this.#attach(stream, end, theirs);
      return;
    }
    const newest = this.#newestOpened;
    this.cameLate ||= newest !== undefined && stream.number < newest.number && stream.life !== newest.life;
    if (newest === undefined || stream.number > newest.number) this.#newestOpened = stream;
    const ours = end.channel.handshake();
    end.stream = stream;
    if (!stream.isCut) stream.pipes[0].push(asFrame(ours));
    this.#attach(stream, end, theirs);
  }

  #attach(stream: Stream, end: End, theirs: Handshake): void {
    stream.windows[end.side] = new WatchedWindow(theirs.window, this.#options.limits);
    const link = this.#link(stream, end.side);
    const { resumed } = end;
    let isRefused = false;
    const close: FrameLink['close'] = (why) => {
      isRefused = true;
      link.close(why);
    };
    end.channel.attach({ ...link, close }, theirs);
    // An application that resends its state relies on it: once for every stream that is back, and never for the first.
    const isBack = !isRefused && end.attached > 0;
    assert.equal(end.resumed - resumed, isBack ? 1 : 0, `side ${end.side} was told of another return`);
    if (!isRefused) end.attached += 1;
  }

  #link(stream: Stream, from: Side): FrameLink {
    const to = from === 0 ? 1 : 0;
    return {
      peer: { address: '', headers: {}, certificate: undefined },
      send: (frame) => {
        assert.ok(!stream.full[from], 'sent although there was no room');
        if (stream.isCut) return true;
        if (frame.kind === 'message') stream.windows[from]?.sent(frame);
        const pipe = stream.pipes[to];
        pipe.push(frame);
        stream.full[from] = pipe.length >= this.#options.pipe;
        return !stream.full[from];
      },
      pause: () => {},
      resume: () => {},
      close: ({ reason, message }) => {
        assert.equal(reason, 'superseded', message);
        cut(stream, [0, 0]);
      },
      destroy: () => {
        stream.isCut = true;
      },
    };
  }

  #tellRoom(stream: Stream, side: Side): void {
    if (!stream.full[side] || stream.pipes[side === 0 ? 1 : 0].length > 0) return;
    stream.full[side] = false;
    const end = this.ends[side];
    if (end.stream === stream) end.channel.hasRoom();
  }

  #boundsHold(): void {
    const { buffer } = this.#options;
    for (const { channel } of this.ends) {
      const { messages, bytes } = channel.buffered;
      assert.ok(messages <= buffer.messages, `${messages} messages are buffered`);
      assert.ok(bytes <= buffer.bytes || messages === 1, `${bytes} bytes are buffered`);
      assert.ok(messages >= 0 && bytes >= 0 && (messages > 0 || bytes === 0), `${messages} with ${bytes} bytes`);
    }
  }
}

/** A stand-in for the real checksum, which has its own test. */
function quickSum(bytes: Uint8Array): Uint8Array {
  return Uint8Array.of(bytes.reduce((sum, byte) => (sum * 31 + byte) % 251, 7));
}
