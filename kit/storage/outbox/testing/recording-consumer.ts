import type { Consumer } from '../consumer.ts';
import type { DispatchFact } from '../dispatch-fact.ts';
import { createDispatcher, type DispatcherOptions } from '../dispatcher.ts';
import type { StoredEvent } from '../event-log.ts';
import { Watched } from './watched.ts';

type Behaviour = (event: StoredEvent, signal: AbortSignal) => Promise<void> | void;

/** Records the events it gets, when handling starts and when it ends; the test defines its behaviour. */
export class RecordingConsumer implements Consumer {
  readonly name: string = 'recorder';
  readonly startAt: 'beginning' | 'now' = 'beginning';
  readonly attempts: number = 3;
  readonly backoff = { baseMs: 1, capMs: 1 };
  readonly timeoutMs: number = 5_000;
  readonly begun = new Watched<string>();
  readonly done = new Watched<string>();
  readonly #behave: Behaviour;

  constructor(behave: Behaviour = () => {}, settings: Partial<Consumer> = {}) {
    this.#behave = behave;
    Object.assign(this, settings);
  }

  async handle(event: StoredEvent, signal: AbortSignal): Promise<void> {
    this.begun.add(label(event));
    await this.#behave(event, signal);
    this.done.add(label(event));
  }
}

/** `a2` is the event of key `a` whose data is 2. */
function label({ key, data }: Pick<StoredEvent, 'key' | 'data'>): string {
  return `${key}${typeof data === 'number' ? data : ''}`;
}

export interface RunningDispatcher {
  readonly facts: Watched<DispatchFact>;
  /** Rejects if the dispatcher did. */
  stop(): Promise<void>;
  readonly ended: Promise<void>;
}

/** It hardly ever polls, so that a test notices when a notification is missing. */
export function runDispatcher(options: DispatcherOptions): RunningDispatcher {
  const facts = new Watched<DispatchFact>();
  const stop = new AbortController();
  const ended = createDispatcher({ pollMs: 60_000, ...options, onFact: facts.add }).run(stop.signal);
  // A test that expects the rejection awaits it later.
  ended.catch(() => {});
  return {
    facts,
    ended,
    stop: async () => {
      stop.abort();
      await ended;
    },
  };
}
