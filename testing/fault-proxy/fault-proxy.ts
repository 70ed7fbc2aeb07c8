import type { FaultStep } from './fault-schedule.ts';
import type { CutHow } from './proxied-connection.ts';
import type { Direction } from './weather.ts';

/** A network that misbehaves on demand. Each setting applies to existing and to new connections. */
export interface FaultProxy {
  readonly address: { readonly host: string; readonly port: number };
  /** Bytes forwarded since the start, in both directions. */
  readonly bytes: number;
  readonly connections: number;
  cutAll(how?: CutHow): void;
  /** Cuts after this many more bytes, at whatever point in the stream. */
  cutAfter(bytes: number, how?: CutHow): void;
  /** Bytes are accepted but not forwarded until `heal`, or for this long. */
  stall(ms?: number): void;
  /** The same in one direction only. */
  halfOpen(direction: Direction, ms?: number): void;
  /** Limits each direction of each connection. */
  slow(bytesPerSecond: number): void;
  /** Limits each direction of all connections together, as a link does: bytes leave in the order in which they came. */
  share(bytesPerSecond: number): void;
  /** New connections are cut at once. */
  refuse(on: boolean): void;
  /** New connections wait for a random time up to this, so that they arrive in a different order. 0 turns it off. */
  delayConnects(upToMs: number): void;
  /** Ends all faults: held bytes are forwarded. Cut connections stay cut. */
  heal(): void;
  /** Plays the steps in order; healed when it resolves. */
  play(schedule: readonly FaultStep[], signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}
