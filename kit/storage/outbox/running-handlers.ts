import type { Clock } from '#kit/std';
import type { ConsumerSettings } from './consumer.ts';
import type { Turn } from './dispatch-window.ts';
import type { StoredEvent } from './event-log.ts';
import { OutboxError } from './outbox-error.ts';

export type Ending = { readonly kind: 'done' } | { readonly kind: 'failed'; readonly error: unknown };

export interface RunningHandlersDeps {
  readonly consumer: Pick<ConsumerSettings, 'name' | 'handle' | 'timeoutMs'>;
  readonly clock: Clock;
  /** Called once for each started handler, unless it was broken off. */
  readonly onEnd: (turn: Turn<StoredEvent>, ending: Ending) => void;
}

interface Running {
  readonly turn: Turn<StoredEvent>;
  readonly deadline: number;
  readonly stop: AbortController;
}

/** The running handlers. The outcome of a handler that timed out or was broken off is ignored. */
export class RunningHandlers {
  readonly #deps: RunningHandlersDeps;
  /** Oldest first, which is also the order of the deadlines. */
  readonly #running = new Set<Running>();

  constructor(deps: RunningHandlersDeps) {
    this.#deps = deps;
  }

  get size(): number {
    return this.#running.size;
  }

  get nextDeadline(): number {
    const [oldest] = this.#running;
    return oldest?.deadline ?? Number.POSITIVE_INFINITY;
  }

  start(turn: Turn<StoredEvent>): void {
    const { consumer, clock } = this.#deps;
    const running = { turn, deadline: clock.now() + consumer.timeoutMs, stop: new AbortController() };
    this.#running.add(running);
    void Promise.try(() => consumer.handle(turn.event, running.stop.signal)).then(
      () => this.#end(running, { kind: 'done' }),
      (error: unknown) => this.#end(running, { kind: 'failed', error }),
    );
  }

  /** Aborts the handlers whose time is up. */
  expire(): void {
    const { consumer, clock } = this.#deps;
    const now = clock.now();
    for (const running of this.#running) {
      if (running.deadline > now) return;
      const error = new OutboxError(
        'HANDLER_TIMED_OUT',
        `${consumer.name} took more than ${consumer.timeoutMs} ms for an event`,
      );
      running.stop.abort(error);
      this.#end(running, { kind: 'failed', error });
    }
  }

  /** Aborts all handlers. This does not count as a failure of their events: the next session handles them again. */
  breakOff(): void {
    const stopped = [...this.#running];
    this.#running.clear();
    for (const { stop } of stopped) stop.abort();
  }

  #end(running: Running, ending: Ending): void {
    if (this.#running.delete(running)) this.#deps.onEnd(running.turn, ending);
  }
}
