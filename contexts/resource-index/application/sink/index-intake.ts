import { type Clock, FleetError, Notifier, type Sleep } from '#kit/std';
import type { FromIndexer, IndexAsk } from '../../domain/index-message.ts';
import type { EffectiveSchema } from '../../domain/index-schema.ts';
import type { IndexAgents, IndexObserver, IndexStore } from './ports.ts';

export interface IndexIntakeDeps {
  readonly store: IndexStore;
  readonly agents: IndexAgents;
  /** The effective schema of a target; `undefined` when the target does not exist. */
  readonly schemaOf: (target: string, signal: AbortSignal) => Promise<EffectiveSchema | undefined>;
  readonly observer: IndexObserver;
  readonly clock: Clock;
  readonly sleep: Sleep;
}

interface Heard {
  readonly target: string;
  readonly message: FromIndexer;
  readonly bytes: number;
  readonly taken: () => void;
}

type Delta = Heard & { readonly message: { readonly kind: 'delta' } };

const BATCH_MESSAGES = 64;
const BATCH_BYTES = 8 * 1024 * 1024;
const AGAIN_MS = 1_000;
const IDLE_MS = 60_000;
const ANSWER_MS = 30_000;

/**
 * Processes the messages of agents in order. Neighbouring deltas, also of different targets, share a transaction. A message is
 * acknowledged once it is stored, so the channel windows bound what waits here.
 */
export class IndexIntake {
  readonly #deps: IndexIntakeDeps;
  readonly #wake: Notifier;
  readonly #answers = new Set<Promise<void>>();
  #heard: Heard[] = [];

  constructor(deps: IndexIntakeDeps) {
    this.#deps = deps;
    this.#wake = new Notifier(deps.sleep);
  }

  take(heard: Heard): void {
    this.#heard.push(heard);
    this.#wake.notify();
  }

  async run(signal: AbortSignal): Promise<void> {
    try {
      while (!signal.aborted) {
        if (this.#heard.length === 0) await this.#wake.wait(IDLE_MS, signal);
        await this.#takeIn(this.#next(), signal);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      await Promise.all(this.#answers);
    }
  }

  /** The next unit of work: deltas up to the size of a transaction, or one question, or one report. */
  #next(): readonly Heard[] {
    let bytes = 0;
    let count = 0;
    for (const { message, bytes: size } of this.#heard) {
      if (message.kind !== 'delta' && count > 0) break;
      count += 1;
      bytes += size;
      if (message.kind !== 'delta' || count === BATCH_MESSAGES || bytes >= BATCH_BYTES) break;
    }
    return this.#heard.splice(0, count);
  }

  async #takeIn(heard: readonly Heard[], signal: AbortSignal): Promise<void> {
    const deltas = heard.filter((each): each is Delta => each.message.kind === 'delta');
    if (deltas.length > 0) return await this.#apply(deltas, signal);
    for (const { target, message, taken } of heard) {
      try {
        if (message.kind === 'hello') await this.#hello(target, message.exchange, signal);
        else if (message.kind === 'ask') await this.#ask(target, message, signal);
        else if (message.kind === 'report') await this.#report(target, message, signal);
      } catch (error) {
        if (signal.aborted) return;
        // An agent without an answer asks again, and reports are repeated.
        this.#deps.observer.lost(target, error);
      }
      taken();
    }
  }

  async #apply(deltas: readonly Delta[], signal: AbortSignal): Promise<void> {
    const { store, observer, clock, sleep } = this.#deps;
    while (!signal.aborted) {
      try {
        const batch = deltas.map(({ target, message }) => ({ target, delta: message }));
        observer.applied(await store.apply(batch, clock.now(), signal));
        for (const { taken } of deltas) taken();
        return;
      } catch (error) {
        if (signal.aborted) return;
        if (mayPass(error)) {
          observer.trouble(error);
          await sleep(AGAIN_MS, signal);
        } else if (deltas.length > 1) {
          // One of the deltas is bad. Applies them one by one, so that the others are not affected.
          for (const delta of deltas) await this.#apply([delta], signal);
          return;
        } else {
          return this.#giveUp(deltas, error);
        }
      }
    }
  }

  #giveUp(deltas: readonly Delta[], error: unknown): void {
    for (const { target, taken } of deltas) {
      this.#deps.observer.lost(target, error);
      taken();
    }
  }

  async #hello(target: string, exchange: number, signal: AbortSignal): Promise<void> {
    const { store, schemaOf, clock } = this.#deps;
    const schema = await schemaOf(target, signal);
    if (schema === undefined) return;
    const digests = await store.digests(target, clock.now(), signal);
    this.#answer(target, [{ kind: 'state', exchange, schema, digests }], signal);
  }

  async #ask(target: string, { exchange, type, buckets }: IndexAsk, signal: AbortSignal): Promise<void> {
    const parts = await this.#deps.store.held(target, { type, buckets }, signal);
    const messages = parts.map((objects, index) => {
      return { kind: 'held', exchange, type, objects, isLast: index === parts.length - 1 } as const;
    });
    this.#answer(target, messages, signal);
  }

  async #report(target: string, { types }: Extract<FromIndexer, { kind: 'report' }>, signal: AbortSignal) {
    await this.#deps.store.report(target, { types, now: this.#deps.clock.now() }, signal);
  }

  /** Not awaited: a fleetlet that reads its answers slowly must not hold up others. */
  #answer(target: string, messages: readonly Parameters<IndexAgents['send']>[1][], signal: AbortSignal): void {
    const within = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]);
    const sending = async (): Promise<void> => {
      for (const message of messages) await this.#deps.agents.send(target, message, within);
    };
    const done = sending()
      .catch((error: unknown) => {
        if (!signal.aborted) this.#deps.observer.lost(target, error);
      })
      .finally(() => this.#answers.delete(done));
    this.#answers.add(done);
  }
}

/** Whether a retry may succeed. An error that is not a FleetError is a bug, and is not retried. */
function mayPass(error: unknown): boolean {
  return error instanceof FleetError && !['invalid', 'internal', 'not-found'].includes(error.entry.category);
}
