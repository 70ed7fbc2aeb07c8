import type { Runnable } from '#kit/reconcile';
import {
  BoundedQueue,
  type Clock,
  FleetError,
  type Random,
  sleep as realSleep,
  retry,
  type Sleep,
  systemClock,
} from '#kit/std';
import type { Logger } from '#kit/telemetry';
import type { KubeClient, ObjectRef, Patch } from '../../client/kube-client.ts';
import type { KubeObject, Resource } from '../../client/kube-object.ts';
import { EventCorrelator } from './event-correlator.ts';
import {
  buildEvent,
  type EventNote,
  type EventSource,
  involvedObject,
  type KubeEvent,
  type Occurrence,
} from './kube-event.ts';

export interface EventRecorderDeps {
  readonly client: Pick<KubeClient, 'create' | 'patch'>;
  readonly source: EventSource;
  readonly log: Logger;
  readonly clock?: Clock;
  readonly sleep?: Sleep;
  readonly random?: Random;
  /** Maximum number of waiting events; 1000 by default. */
  readonly capacity?: number;
}

/** Event counts: `dropped` found no room, `skipped` were too many about one object, `refused` by the server. */
export interface EventCounts {
  readonly written: number;
  readonly dropped: number;
  readonly skipped: number;
  readonly refused: number;
}

const EVENTS: Resource = { group: '', version: 'v1', plural: 'events', kind: 'Event', namespaced: true };
const CAPACITY = 1000;
const REQUEST_MS = 10_000;
const FLUSH_MS = 2_000;
const ATTEMPTS = 12;
const RETRY = { baseMs: 1_000, capMs: 20_000 };
const STEPS_PER_MS = 1_000_000;

/**
 * Writes events about objects, following Kubernetes' own rules. Recording neither waits nor throws: events are
 * telemetry, and events that cannot be written are dropped, oldest first, and counted.
 */
export class EventRecorder implements Runnable {
  readonly name = 'event recorder';
  readonly #deps: EventRecorderDeps;
  readonly #clock: Clock;
  readonly #queue: BoundedQueue<Occurrence>;
  /** The queue is ended by closing it. */
  readonly #never = new AbortController().signal;
  readonly #correlator = new EventCorrelator();
  #step: number;
  #written = 0;
  #late = 0;
  #skipped = 0;
  #refused = 0;

  constructor(deps: EventRecorderDeps) {
    this.#deps = deps;
    this.#clock = deps.clock ?? systemClock;
    this.#queue = new BoundedQueue({ capacity: deps.capacity ?? CAPACITY, whenFull: 'drop-oldest' });
    this.#step = Math.floor((deps.random ?? Math.random)() * STEPS_PER_MS);
  }

  get counts(): EventCounts {
    return {
      written: this.#written,
      dropped: this.#queue.dropped + this.#late,
      skipped: this.#skipped,
      refused: this.#refused,
    };
  }

  record(object: KubeObject, note: EventNote): void {
    const time = this.#clock.now();
    const occurrence = { about: involvedObject(object), note, time, id: this.#nextId(time) };
    this.#queue.push(occurrence, this.#never).catch(() => {
      this.#late += 1;
    });
  }

  /** Writes until asked to stop, and then the waiting events for a short time. */
  async run(signal: AbortSignal): Promise<void> {
    const stopped = (): void => this.#queue.close();
    signal.addEventListener('abort', stopped, { once: true });
    if (signal.aborted) stopped();
    for await (const occurrence of this.#queue.items(this.#never)) {
      if (signal.aborted) return await this.#flush(occurrence);
      await this.#write(occurrence, signal);
    }
  }

  async #flush(first: Occurrence): Promise<void> {
    const deadline = AbortSignal.timeout(FLUSH_MS);
    await this.#write(first, deadline);
    for await (const occurrence of this.#queue.items(this.#never)) {
      if (deadline.aborted) this.#late += 1;
      else await this.#write(occurrence, deadline);
    }
  }

  async #write(occurrence: Occurrence, signal: AbortSignal): Promise<void> {
    const { source, log, sleep = realSleep, random = Math.random } = this.#deps;
    const decision = this.#correlator.decide(buildEvent(occurrence, source), occurrence.time);
    if (decision.kind === 'skip') {
      this.#skipped += 1;
      return;
    }
    const { event } = decision;
    const patch = decision.kind === 'patch' ? decision.patch : undefined;
    const send = (own: AbortSignal): Promise<void> => {
      const bounded = AbortSignal.any([own, AbortSignal.timeout(REQUEST_MS)]);
      return patch === undefined ? this.#create(event, bounded) : this.#patch(event, patch, bounded);
    };
    const options = { what: 'write an event', policy: RETRY, attempts: ATTEMPTS, isRetryable, sleep, random };
    try {
      await retry(send, options, signal);
      this.#written += 1;
    } catch (err) {
      if (signal.aborted) {
        this.#late += 1;
        return;
      }
      this.#refused += 1;
      const fields = {
        err,
        subject: `${event.involvedObject.kind}/${event.involvedObject.name}`,
        reason: event.reason,
      };
      log.warn(fields, 'event not written; dropped');
    }
  }

  async #create(event: KubeEvent, signal: AbortSignal): Promise<void> {
    const { namespace } = event.metadata;
    try {
      await this.#deps.client.create({ resource: EVENTS, namespace }, event, {}, signal);
    } catch (error) {
      // The name is unique to us: the first write succeeded, and its response was lost.
      if (!hasCode(error, 'ALREADY_EXISTS')) throw error;
    }
  }

  async #patch(event: KubeEvent, patch: Patch, signal: AbortSignal): Promise<void> {
    const ref: ObjectRef = { resource: EVENTS, ...event.metadata };
    try {
      await this.#deps.client.patch(ref, patch, {}, signal);
    } catch (error) {
      // The server keeps events for an hour, and the create of this one may have been skipped.
      if (!hasCode(error, 'NOT_FOUND')) throw error;
      await this.#create(event, signal);
    }
  }

  /** Nanoseconds in hex, like Kubernetes' own recorder; the part below the clock's precision is a counter. */
  #nextId(time: number): string {
    this.#step = (this.#step + 1) % STEPS_PER_MS;
    return (BigInt(Math.floor(time)) * BigInt(STEPS_PER_MS) + BigInt(this.#step)).toString(16);
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof FleetError && error.code === code;
}

/** A write with unknown outcome is repeated: under the same name it is the same event. */
function isRetryable(error: unknown): boolean {
  if (error instanceof FleetError) return error.entry.retry === 'later' || error.code === 'OUTCOME_UNKNOWN';
  return error instanceof DOMException && error.name === 'TimeoutError';
}
