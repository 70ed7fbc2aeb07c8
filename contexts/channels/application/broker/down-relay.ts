import { takeTurn } from '../../domain/take-turn.ts';
import type { Inbound, Settled } from '../channel.ts';
import type { LocalEnd } from './local-session.ts';
import { passedOn } from './passed-on.ts';

export interface DownRelayDeps {
  /** The attached processes that may receive the message. */
  readonly candidates: (message: Inbound) => readonly LocalEnd[];
  readonly now: () => number;
  /** Ends the waits for room. */
  readonly signal: AbortSignal;
}

interface Held {
  /** In order of arrival. */
  readonly order: number;
  readonly message: Inbound;
  /** It was sent to a process that left without acknowledging it. */
  wasSent: boolean;
}

/**
 * The messages of one key, and the process that has some of them now. The rest must go to the same process to stay in order.
 */
interface Lane {
  readonly waiting: Held[];
  underWay: number;
  at: LocalEnd | undefined;
}

/**
 * Hands messages from the platform to local processes, and acknowledges them to the platform once a process has acknowledged
 * them. A message without a reader waits. It is not acknowledged, so the platform's window bounds how many wait.
 */
export class DownRelay {
  readonly #deps: DownRelayDeps;
  readonly #lanes = new Map<string, Lane>();
  readonly #full = new Set<LocalEnd>();
  readonly counts = { handedOn: 0, handedOnAgain: 0, expired: 0, undeliverable: 0 };
  #order = 0;
  #lastTurn = 0;

  constructor(deps: DownRelayDeps) {
    this.#deps = deps;
  }

  /** Not acknowledged yet: waiting, or sent to a process. */
  get held(): number {
    let held = 0;
    for (const { waiting, underWay } of this.#lanes.values()) held += waiting.length + underWay;
    return held;
  }

  take(message: Inbound): void {
    const order = ++this.#order;
    const name = laneOf(message, order);
    const lane = this.#lanes.get(name) ?? { waiting: [], underWay: 0, at: undefined };
    this.#lanes.set(name, lane);
    lane.waiting.push({ order, message, wasSent: false });
    this.#pumpLane(name, lane);
  }

  /** A process came, left, or has room again. */
  pump(): void {
    for (const [name, lane] of this.#lanes) this.#pumpLane(name, lane);
  }

  /** Drops waiting messages whose deadline has passed. */
  expire(): void {
    const now = this.#deps.now();
    const isLate = ({ message: { deadline } }: Held): boolean => deadline > 0 && deadline <= now;
    this.counts.expired += this.#settleWaiting(isLate);
  }

  /**
   * The target is no longer served: drops its waiting messages. The platform tells the sender, which has to send them again.
   */
  dropTarget(target: string): void {
    this.counts.undeliverable += this.#settleWaiting(({ message }) => message.target === target);
  }

  #settleWaiting(matches: (held: Held) => boolean): number {
    let settled = 0;
    for (const [name, lane] of this.#lanes) {
      for (let index = 0; index < lane.waiting.length; ) {
        const held = lane.waiting[index];
        if (held === undefined || !matches(held)) {
          index += 1;
          continue;
        }
        lane.waiting.splice(index, 1);
        held.message.ack();
        settled += 1;
      }
      this.#pumpLane(name, lane);
    }
    return settled;
  }

  #pumpLane(name: string, lane: Lane): void {
    for (let held = lane.waiting[0]; held !== undefined; held = lane.waiting[0]) {
      const end = lane.underWay > 0 ? lane.at : this.#choose(held.message);
      if (end === undefined || this.#full.has(end) || !this.#handOn(held, end, { name, lane })) break;
    }
    const isDone = lane.waiting.length === 0 && lane.underWay === 0;
    // A message that is acknowledged synchronously leads back here, so the name may already belong to another lane.
    if (isDone && this.#lanes.get(name) === lane) this.#lanes.delete(name);
  }

  #choose(message: Inbound): LocalEnd | undefined {
    const open = this.#deps.candidates(message).filter((end) => !this.#full.has(end));
    const end = takeTurn(open, this.#lastTurn);
    if (end !== undefined) this.#lastTurn = end.order;
    return end;
  }

  #handOn(held: Held, end: LocalEnd, at: { readonly name: string; readonly lane: Lane }): boolean {
    const { lane } = at;
    // Before it is sent: a lossy channel settles synchronously.
    lane.waiting.shift();
    lane.underWay += 1;
    lane.at = end;
    const settled = (how: Settled): void => this.#settled(held, how, at);
    const taken = end.trySend({ ...passedOn(held.message), ...(held.wasSent ? { redelivered: true } : {}), settled });
    if (taken) {
      this.counts.handedOn += 1;
      if (held.wasSent) this.counts.handedOnAgain += 1;
      return true;
    }
    lane.underWay -= 1;
    lane.waiting.unshift(held);
    this.#awaitRoom(end);
    return false;
  }

  #settled(held: Held, how: Settled, { name, lane }: { readonly name: string; readonly lane: Lane }): void {
    lane.underWay -= 1;
    if (how === 'closed') {
      held.wasSent = true;
      const later = lane.waiting.findIndex(({ order }) => order > held.order);
      lane.waiting.splice(later < 0 ? lane.waiting.length : later, 0, held);
      return;
    }
    held.message.ack();
    this.#pumpLane(name, lane);
  }

  #awaitRoom(end: LocalEnd): void {
    if (this.#full.has(end)) return;
    this.#full.add(end);
    const go = (): void => {
      this.#full.delete(end);
      if (!this.#deps.signal.aborted) this.pump();
    };
    end.room(this.#deps.signal).then(go, go);
  }
}

/** A message with neither recipient nor key is a lane of its own, so the next replica takes it. */
function laneOf({ target, process, key }: Inbound, order: number): string {
  return target === '' && process === '' && key === '' ? String(order) : `${target} ${process} ${key}`;
}
