import type { FaultStep } from './fault-schedule.ts';
import type { CutHow } from './proxied-connection.ts';
import type { Direction } from './weather.ts';

/** A network that can be told to behave badly. What it was told holds for connections that are there and that come. */
export interface FaultProxy {
  readonly address: { readonly host: string; readonly port: number };
  /** Let through since the start, both ways. */
  readonly bytes: number;
  readonly connections: number;
  cutAll(how?: CutHow): void;
  /** Once so many more bytes have gone through, in the middle of whatever they are. */
  cutAfter(bytes: number, how?: CutHow): void;
  /** Bytes are taken and go nowhere until it heals, or until then. */
  stall(ms?: number): void;
  /** The same in one direction only. */
  halfOpen(direction: Direction, ms?: number): void;
  /** In each direction of each connection. */
  slow(bytesPerSecond: number): void;
  /** New connections are cut at once. */
  refuse(on: boolean): void;
  /** New connections wait for anything up to that, so that they arrive in another order. 0 ends it. */
  delayConnects(upToMs: number): void;
  /** Good weather again: what was held goes on. What was cut stays cut. */
  heal(): void;
  /** One after the other; it has healed when that resolves. */
  play(schedule: readonly FaultStep[], signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}
