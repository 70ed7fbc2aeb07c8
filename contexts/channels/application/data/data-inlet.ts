import type { ChannelMode, ChannelWindow, CloseFrame } from '../../domain/frame.ts';
import { DownRelay } from '../broker/down-relay.ts';
import type { LocalEnd } from '../broker/local-session.ts';
import { UpRelay } from '../broker/up-relay.ts';
import type { Inbound, LinkedChannel, LinkedChannelOptions } from '../channel.ts';
import { createReliableChannel } from '../reliable-channel.ts';

export interface DataInletDeps {
  readonly name: string;
  /** The local processes that read it. */
  readonly readers: () => readonly LocalEnd[];
  readonly newId: () => string;
  readonly now: () => number;
  readonly sha256: LinkedChannelOptions['sha256'];
  /** Of each source. */
  readonly window: ChannelWindow;
  readonly buffer: ChannelWindow;
}

interface Source {
  readonly channel: LinkedChannel;
  readonly back: UpRelay;
  /** Since when the source has no stream; `undefined` while it has one. */
  goneSince: number | undefined;
}

/** The reading end of a data channel: merges all sources into one channel for the local readers. */
export class DataInlet {
  readonly #deps: DataInletDeps;
  readonly #sources = new Map<string, Source>();
  readonly #over = new AbortController();
  readonly #down: DownRelay;

  constructor(deps: DataInletDeps) {
    this.#deps = deps;
    const { readers, now } = deps;
    const candidates = (): readonly LocalEnd[] => readers().filter(({ session }) => session.isAttached);
    this.#down = new DownRelay({ candidates, now, signal: this.#over.signal });
  }

  get size(): number {
    return this.#sources.size;
  }

  knows(fleetlet: string): boolean {
    return this.#sources.has(fleetlet);
  }

  /** The channel of a source, the same one for every route and every reconnect. */
  attached(fleetlet: string, mode: ChannelMode): LinkedChannel {
    const source = this.#sources.get(fleetlet) ?? this.#newSource(fleetlet, mode);
    source.goneSince = undefined;
    return source.channel;
  }

  detached(fleetlet: string): void {
    const source = this.#sources.get(fleetlet);
    if (source !== undefined) source.goneSince = this.#deps.now();
  }

  /** A reader's message goes to the source that it names; it is dropped when there is no such source. */
  answer(message: Inbound): void {
    const source = this.#sources.get(message.process);
    if (source === undefined) message.ack();
    else source.back.take(message, { process: '', target: message.target });
  }

  /** A reader came, left, or has room again. */
  pump(): void {
    this.#down.pump();
  }

  /** Forgets sources that have been away since `before`. If they return, they start over. */
  sweep(before: number): void {
    for (const [fleetlet, { goneSince, channel }] of this.#sources) {
      if (goneSince === undefined || goneSince > before) continue;
      this.#sources.delete(fleetlet);
      channel.close();
    }
    this.#down.expire();
  }

  /** Unacknowledged messages are still with their sources, which send them to the next reader, marked as redelivered. */
  close(why: Omit<CloseFrame, 'kind'>): void {
    this.#over.abort();
    const sources = [...this.#sources.values()];
    this.#sources.clear();
    for (const { channel } of sources) channel.close(why);
  }

  #newSource(fleetlet: string, mode: ChannelMode): Source {
    const { name, window, buffer, newId: newIncarnation, now, sha256 } = this.#deps;
    const channel = createReliableChannel({
      name,
      window,
      buffer,
      newIncarnation,
      now,
      sha256,
      mode: mode === 'lossy' ? 'lossy' : 'reliable',
      handlers: { message: (message) => this.#down.take(new FromSource(message, fleetlet)) },
    });
    const source = { channel, back: new UpRelay(channel, this.#over.signal), goneSince: undefined };
    this.#sources.set(fleetlet, source);
    return source;
  }
}

/** The message as the reader sees it: `process` is the fleetlet of the source, which is authenticated. */
class FromSource implements Inbound {
  readonly #message: Inbound;
  readonly process: string;

  constructor(message: Inbound, process: string) {
    this.#message = message;
    this.process = process;
  }

  get payload(): Uint8Array {
    return this.#message.payload;
  }

  get target(): string {
    return this.#message.target;
  }

  get key(): string {
    return this.#message.key;
  }

  get deadline(): number {
    return this.#message.deadline;
  }

  get redelivered(): boolean {
    return this.#message.redelivered;
  }

  get dropped(): number {
    return this.#message.dropped;
  }

  ack(): void {
    this.#message.ack();
  }
}
