import type { Json } from '../definitions.ts';
import type { WaitingFor } from '../engine.ts';
import { decodePayload } from '../payload.ts';
import type { CarriedSignal, JournalEvent } from './journal-event.ts';

interface Waiter {
  readonly shielded: boolean;
  resolve(payload: Json | undefined): void;
  reject(error: Error): void;
}

/** Signals that came and nobody took, and those who wait for one: by name, first come, first served. */
export class SignalBox {
  readonly #signals = new Map<string, CarriedSignal[]>();
  readonly #waiters = new Map<string, Set<Waiter>>();
  readonly #seen = new Set<string>();

  constructor(carried: readonly CarriedSignal[]) {
    for (const signal of carried) this.#add(signal);
  }

  /** A sender that was not sure may have sent it before. */
  hasSeen(signalId: string): boolean {
    return this.#seen.has(signalId);
  }

  deliver({ name, result = 'null', signalId }: JournalEvent): void {
    if (signalId !== undefined) this.#seen.add(signalId);
    const [waiter] = this.#waiters.get(name) ?? [];
    if (waiter === undefined) this.#add({ name, payload: result, ...(signalId !== undefined && { signalId }) });
    else {
      this.#waiters.get(name)?.delete(waiter);
      waiter.resolve(decodePayload(result));
    }
  }

  /** The next one that is there already. */
  take(name: string): CarriedSignal | undefined {
    return this.#signals.get(name)?.shift();
  }

  /** Waits for the next one to come; `leave` stops waiting without an answer. */
  wait(name: string, shielded: boolean): { readonly arrived: Promise<Json | undefined>; leave(): void } {
    const { promise, resolve, reject } = Promise.withResolvers<Json | undefined>();
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

  #add(signal: CarriedSignal): void {
    if (signal.signalId !== undefined) this.#seen.add(signal.signalId);
    const signals = this.#signals.get(signal.name) ?? [];
    signals.push(signal);
    this.#signals.set(signal.name, signals);
  }
}
