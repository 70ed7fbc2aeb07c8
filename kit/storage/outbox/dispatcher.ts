import {
  aborted,
  type BackoffPolicy,
  backoffDelay,
  type Clock,
  Notifier,
  type Random,
  sleep as realSleep,
  type Sleep,
  systemClock,
  uuidv7,
} from '#kit/std';
import type { Storage } from '../port.ts';
import { withinDeadline } from '../within-deadline.ts';
import { type Consumer, type ConsumerSettings, consumerSettings } from './consumer.ts';
import { ClaimLost, ConsumerSession } from './consumer-session.ts';
import { type Claim, ConsumerStore } from './consumer-store.ts';
import type { DispatchFact } from './dispatch-fact.ts';
import { createEventLog } from './event-log.ts';
import { isPassing } from './is-passing.ts';
import { RELEASED, REPLAYED } from './topics.ts';

export interface DispatcherOptions {
  readonly storage: Storage;
  readonly consumers: readonly Consumer[];
  /** Receives events for logs and metrics; must not throw. */
  readonly onFact?: (fact: DispatchFact) => void;
  readonly clock?: Clock;
  readonly sleep?: Sleep;
  readonly random?: Random;
  /** How long an unresponsive dispatcher keeps its consumers. */
  readonly leaseMs?: number;
  /** Polling interval, in case a notification was lost. */
  readonly pollMs?: number;
  /** How long handlers may continue after a stop. */
  readonly stopMs?: number;
  /** Events in memory for each consumer. */
  readonly windowSize?: number;
}

export interface Dispatcher {
  /**
   * Hands events to the consumers until the signal aborts. Every replica runs a dispatcher: each consumer is served by
   * one of them at a time, and another takes over when that one stops or becomes unresponsive. Rejects with errors that
   * a retry cannot fix.
   */
  run(signal: AbortSignal): Promise<void>;
}

export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const settings = options.consumers.map(consumerSettings);
  const names = new Set(settings.map(({ name }) => name));
  if (names.size < settings.length) throw new RangeError('two consumers of a dispatcher have the same name');
  const owner = uuidv7();
  return {
    run: async (signal) => {
      if (settings.length === 0) return await aborted(signal);
      const stop = new AbortController();
      const all = AbortSignal.any([signal, stop.signal]);
      const served = await Promise.allSettled(
        settings.map(async (consumer) => {
          try {
            await new ConsumerService({ ...DEFAULTS, ...options, owner }, consumer).run(all);
          } finally {
            stop.abort();
          }
        }),
      );
      for (const outcome of served) if (outcome.status === 'rejected') throw outcome.reason;
    },
  };
}

const NEVER = new AbortController().signal;
const TROUBLE: BackoffPolicy = { baseMs: 100, capMs: 5_000 };

const DEFAULTS = {
  onFact: () => {},
  clock: systemClock,
  sleep: realSleep,
  random: Math.random,
  leaseMs: 15_000,
  pollMs: 5_000,
  stopMs: 5_000,
  windowSize: 256,
};

type ServiceDeps = Required<Omit<DispatcherOptions, 'consumers'>> & { readonly owner: string };

/** Serves one consumer: claims it, works while the claim lasts, and repeats. */
class ConsumerService {
  readonly #deps: ServiceDeps;
  readonly #consumer: ConsumerSettings;
  readonly #store: ConsumerStore;
  readonly #wake: Notifier;
  #session: ConsumerSession | undefined;
  #failures = 0;

  constructor(deps: ServiceDeps, consumer: ConsumerSettings) {
    this.#deps = deps;
    this.#consumer = consumer;
    this.#store = new ConsumerStore(deps.storage, consumer);
    this.#wake = new Notifier(deps.sleep);
  }

  async run(signal: AbortSignal): Promise<void> {
    const { storage } = this.#deps;
    const listening = [
      createEventLog(storage).onAdvanced(() => this.#session?.noteEvents()),
      storage.onAnnounced(REPLAYED, () => this.#session?.noteDue()),
      storage.onAnnounced(RELEASED, () => this.#wake.notify()),
    ];
    try {
      while (!signal.aborted) await this.#serve(signal).catch((error: unknown) => this.#recover(error, signal));
    } finally {
      for (const stopListening of listening) stopListening();
    }
  }

  async #serve(signal: AbortSignal): Promise<void> {
    const { storage, leaseMs, pollMs, stopMs } = this.#deps;
    const claim = await this.#claim(signal);
    this.#session = new ConsumerSession({
      ...this.#deps,
      consumer: this.#consumer,
      store: this.#store,
      claim,
      wake: this.#wake,
      onFact: (fact) => this.#observe(fact),
      timing: { leaseMs, pollMs, stopMs, renews: storage.engine !== 'sqlite' },
    });
    try {
      await this.#session.run(signal);
    } finally {
      this.#session = undefined;
    }
    await withinDeadline(storage.announce(RELEASED, NEVER), stopMs, NEVER);
  }

  #observe(fact: DispatchFact): void {
    if (fact.kind === 'recorded') this.#failures = 0;
    this.#deps.onFact(fact);
  }

  /** Waits until the claim is granted, while another dispatcher holds the lease. */
  async #claim(signal: AbortSignal): Promise<Claim> {
    const { owner, clock, leaseMs, random, onFact } = this.#deps;
    const consumer = this.#consumer.name;
    for (;;) {
      const now = clock.now();
      const request = this.#store.claim({ owner, now, leaseUntil: now + leaseMs }, signal);
      const answer = await withinDeadline(request, leaseMs, signal);
      if (answer.kind === 'claimed') {
        onFact({ kind: 'claimed', consumer, cursor: answer.cursor });
        return answer;
      }
      onFact({ kind: 'standing-by', consumer, until: answer.until });
      // With jitter, so that not all waiting dispatchers try at once. Never much longer than a lease, in case clocks
      // differ.
      await this.#wake.wait(Math.min(answer.until - now, leaseMs) + random() * 0.1 * leaseMs, signal);
    }
  }

  /** Waits before restarting from the stored state; rethrows errors that a retry cannot fix. */
  async #recover(error: unknown, signal: AbortSignal): Promise<void> {
    const { storage, random, sleep, onFact } = this.#deps;
    if (error === signal.reason) return;
    // On SQLite only this process can have claimed it: a second dispatcher on the same file is a programming error.
    const isLost = error instanceof ClaimLost && storage.engine !== 'sqlite';
    if (!isLost && !isPassing(error)) throw error;
    this.#failures += 1;
    const retryInMs = backoffDelay(TROUBLE, this.#failures, random);
    onFact({ kind: 'interrupted', consumer: this.#consumer.name, error, retryInMs });
    await sleep(retryInMs, signal).catch(() => {});
  }
}
