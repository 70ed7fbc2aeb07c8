import type { Handshake } from '../../application/link.ts';
import type { Frame, OpenFrame } from '../../domain/frame.ts';
import type { WatchedWindow } from './watched-window.ts';

/** Frames in flight between two sides. A cut stream drops what it is given. */
export interface Stream {
  readonly number: number;
  /** Handshake of the dialing side. */
  readonly life: number;
  /** Frames in flight to each side. */
  readonly pipes: [Frame[], Frame[]];
  readonly full: [boolean, boolean];
  readonly windows: [WatchedWindow | undefined, WatchedWindow | undefined];
  isCut: boolean;
}

export function cut(stream: Stream, arrive: readonly [number, number]): void {
  if (stream.isCut) return;
  stream.isCut = true;
  stream.pipes[0].length = Math.min(stream.pipes[0].length, arrive[0]);
  stream.pipes[1].length = Math.min(stream.pipes[1].length, arrive[1]);
}

/** Only its memory and window matter here. */
export function asFrame({ memory, window }: Handshake): OpenFrame {
  const nobody = { session: '', channel: '', process: '', target: '', stream: '', ticket: new Uint8Array(0) };
  return {
    kind: 'open',
    version: 1,
    oldestVersion: 1,
    mode: 'reliable',
    shard: 0,
    shards: 1,
    reads: false,
    ...nobody,
    memory,
    window,
  };
}
