import { randomUUID } from 'node:crypto';
import { sleep, systemClock } from '#kit/std';
import { sha256 } from '../adapters/sha256.ts';
import { type Acceptor, type AcceptorDeps, type Admission, createAcceptor } from '../application/acceptor.ts';
import type { Inbound, LinkedChannel } from '../application/channel.ts';
import { createReliableChannel } from '../application/reliable-channel.ts';
import type { OpenFrame } from '../domain/frame.ts';

export { sha256 };

export interface Taken {
  readonly channel: string;
  readonly shard: number;
  readonly text: string;
  readonly redelivered: boolean;
}

/** Accepts all channels, remembers them as a platform does, and acknowledges every message. */
export class AcceptingEnd {
  readonly acceptor: Acceptor;
  readonly channels = new Map<string, LinkedChannel>();
  readonly taken: Taken[] = [];
  readonly opens: OpenFrame[] = [];
  /** Overrides the admission. */
  refuse: (open: OpenFrame) => Admission | Promise<Admission> | undefined = () => undefined;
  /** Handles each message; acknowledges it by default. */
  onMessage: (message: Inbound, open: OpenFrame) => void = (message) => message.ack();

  constructor(deps: Partial<AcceptorDeps> = {}) {
    this.acceptor = createAcceptor({
      admit: (open) => this.#admit(open),
      session: 'the-accepting-end',
      clock: systemClock,
      sleep,
      heartbeatMs: 5_000,
      ...deps,
    });
  }

  /** Acts as a restarted process. */
  forget(): void {
    this.channels.clear();
  }

  of(name: string, shard = 0): LinkedChannel {
    const found = [...this.channels].find(([key]) => key.endsWith(` ${name} ${shard}`));
    if (!found) throw new Error(`${name}, shard ${shard}, was never opened`);
    return found[1];
  }

  #admit(open: OpenFrame): Admission | Promise<Admission> {
    this.opens.push(open);
    const refusal = this.refuse(open);
    if (refusal) return refusal;
    const key = `${open.session} ${open.channel} ${open.shard}`;
    let channel = this.channels.get(key);
    if (!channel) {
      channel = this.#newChannel(open);
      this.channels.set(key, channel);
    }
    return { kind: 'channel', channel };
  }

  #newChannel(open: OpenFrame): LinkedChannel {
    return createReliableChannel({
      name: open.channel,
      mode: open.mode === 'lossy' ? 'lossy' : 'reliable',
      window: { messages: 16, bytes: 64 * 1024 },
      buffer: { messages: 64, bytes: 1024 * 1024 },
      newIncarnation: randomUUID,
      now: Date.now,
      sha256,
      handlers: {
        message: (message) => {
          const { redelivered } = message;
          const text = Buffer.from(message.payload).toString();
          this.taken.push({ channel: open.channel, shard: open.shard, text, redelivered });
          this.onMessage(message, open);
        },
      },
    });
  }
}
