import type { FrameLink, LinkHandlers, LinkPeer } from '../application/link.ts';
import { type CloseFrame, type Frame, type OpenFrame, PROTOCOL_VERSION } from '../domain/frame.ts';

/** A stream without another end: records what is sent. */
export class RecordedLink implements FrameLink {
  readonly sent: Frame[] = [];
  closedWith: Omit<CloseFrame, 'kind'> | undefined;
  isDestroyed = false;
  admissions = 0;
  isPaused = false;
  isShort = false;
  readonly peer: LinkPeer;
  handlers: LinkHandlers | undefined;

  constructor(peer: Partial<LinkPeer> = {}) {
    this.peer = { address: 'test', headers: {}, certificate: undefined, ...peer };
  }

  send(frame: Frame): boolean {
    this.sent.push(frame);
    return true;
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
  }

  close(why: Omit<CloseFrame, 'kind'>): void {
    this.closedWith ??= why;
  }

  admit(): void {
    this.admissions += 1;
  }

  keepShort(): void {
    this.isShort = true;
  }

  destroy(): void {
    this.isDestroyed = true;
  }

  isClosed(): boolean {
    return this.closedWith !== undefined;
  }

  kinds(): string[] {
    return this.sent.map(({ kind }) => kind);
  }
}

export function anOpen(open: Partial<OpenFrame> = {}): OpenFrame {
  return {
    kind: 'open',
    version: PROTOCOL_VERSION,
    oldestVersion: 1,
    session: 'a-session',
    channel: 'delivery',
    mode: 'reliable',
    process: 'test',
    target: '',
    shard: 0,
    shards: 1,
    memory: { incarnation: 'one', ofIncarnation: undefined, receivedUpTo: 0, receivedAbove: [], unacknowledged: [] },
    window: { messages: 10, bytes: 1000 },
    stream: '',
    ticket: new Uint8Array(0),
    reads: false,
    ...open,
  };
}
