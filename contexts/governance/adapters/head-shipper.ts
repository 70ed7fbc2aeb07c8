import type { Runnable } from '#kit/reconcile';
import type { Sleep } from '#kit/std';
import type { Logger } from '#kit/telemetry';
import type { ShippedHead } from '../application/ports.ts';
import { GovernanceError } from '../domain/governance-error.ts';
import { RepeatedRounds } from './repeated-rounds.ts';

/** Where heads are sent; resolves once the head is safe there. */
export type HeadDestination = (head: ShippedHead, signal: AbortSignal) => Promise<void>;

const LOOK_MS = 60_000;

/**
 * Sends heads out of reach of those who can write to the database. Only the newest one waits: a head covers all before it, so
 * an unreachable receiver costs no memory and delays no writer.
 */
export class HeadShipper implements Runnable {
  readonly name = 'audit head shipper';
  readonly #rounds: RepeatedRounds;
  #waiting: ShippedHead | undefined;

  constructor({ send, sleep, log }: { readonly send: HeadDestination; readonly sleep: Sleep; readonly log: Logger }) {
    this.#rounds = new RepeatedRounds({
      sleep,
      everyMs: LOOK_MS,
      round: async (signal) => {
        const head = this.#waiting;
        if (head === undefined) return false;
        try {
          await send(head, signal);
        } catch (cause) {
          throw new GovernanceError('HEAD_NOT_SHIPPED', `ship the head of the audit log at ${head.position}`, {
            cause,
          });
        }
        if (this.#waiting === head) this.#waiting = undefined;
        return this.#waiting !== undefined;
      },
      onTrouble: (err, retryInMs) => log.warn({ err, retryInMs }, 'head of the audit log not shipped; retrying'),
    });
  }

  offer(head: ShippedHead): void {
    this.#waiting = head;
    this.#rounds.raise();
  }

  async run(signal: AbortSignal): Promise<void> {
    await this.#rounds.run(signal);
  }
}
