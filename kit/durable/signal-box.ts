import type { Payload } from './activity.ts';
import type { WaitingFor } from './engine.ts';
import { decodePayload } from './payload.ts';

/** A signal that has not been taken yet. It may be carried over into the next run. */
export interface CarriedSignal {
  readonly name: string;
  readonly payload: string;
  readonly signalId?: string;
}

/** Bounds a wait. */
interface Timer {
  readonly ended: Promise<unknown>;
  drop(): void;
}

interface Waiter {
  readonly shielded: boolean;
  resolve(payload: Payload | undefined): void;
  reject(error: Error): void;
}

/** Signals that have not been taken, and waiters for signals: by name, first come, first served. */
export class SignalBox {
  readonly #signals = new Map<string, CarriedSignal[]>();
  readonly #waiters = new Map<string, Set<Waiter>>();
  readonly #seen = new Set<string>();

  constructor(carried: readonly CarriedSignal[]) {
    for (const signal of carried) this.#add(signal);
  }

  /** A sender that was unsure may have sent the signal before. */
  hasSeen(signalId: string): boolean {
    return this.#seen.has(signalId);
  }

  deliver(signal: CarriedSignal): void {
    const { name, payload, signalId } = signal;
    if (signalId !== undefined) this.#seen.add(signalId);
    const [waiter] = this.#waiters.get(name) ?? [];
    if (waiter === undefined) this.#add(signal);
    else {
      this.#waiters.get(name)?.delete(waiter);
      waiter.resolve(decodePayload(payload));
    }
  }

  /**
   * The next signal of that name, which may already be there; `undefined` if the timer, started only for a wait, ends
   * first.
   */
  async next(name: string, shielded: boolean, startTimer: (() => Timer) | undefined): Promise<Payload | undefined> {
    const there = this.#signals.get(name)?.shift();
    if (there !== undefined) return decodePayload(there.payload);
    const timer = startTimer?.();
    const waiting = this.#wait(name, shielded);
    // A cancel rejects both; the wait for the signal reports it.
    timer?.ended.then(
      () => waiting.leave(),
      () => {},
    );
    const payload = await waiting.arrived;
    timer?.drop();
    return payload;
  }

  cancel(error: Error): void {
    for (const waiters of this.#waiters.values()) {
      for (const waiter of waiters) {
        if (waiter.shielded) continue;
        waiters.delete(waiter);
        waiter.reject(error);
      }
    }
  }

  untaken(): CarriedSignal[] {
    return [...this.#signals.values()].flat();
  }

  waitingFor(): WaitingFor[] {
    return [...this.#waiters].flatMap(([name, waiters]) =>
      Array.from(waiters, () => ({ kind: 'signal' as const, name, step: 0 })),
    );
  }

  /** Waits for the next signal; `leave` ends the wait without one. */
  #wait(name: string, shielded: boolean): { readonly arrived: Promise<Payload | undefined>; leave(): void } {
    const { promise, resolve, reject } = Promise.withResolvers<Payload | undefined>();
    const waiter: Waiter = { shielded, resolve, reject };
    const waiters = this.#waiters.get(name) ?? new Set();
    this.#waiters.set(name, waiters.add(waiter));
    return {
      arrived: promise,
      leave: () => {
        if (waiters.delete(waiter)) resolve(undefined);
      },
    };
  }

  #add(signal: CarriedSignal): void {
    if (signal.signalId !== undefined) this.#seen.add(signal.signalId);
    const signals = this.#signals.get(signal.name) ?? [];
    signals.push(signal);
    this.#signals.set(signal.name, signals);
  }
}
