import type { Acknowledgement, DeliveryOrder, TargetObservation } from '#protocol/delivery';
import type { TargetId } from '#protocol/targets';
import type { Observer, TargetRouter } from '../../application/ports.ts';

/** The last order to a target, and what the platform has on record about it. */
interface Attempt {
  readonly order: DeliveryOrder;
  /** `open`: nothing yet. `done`: the target is as ordered. `ended`: it failed, or the target has changed since. */
  state: 'open' | 'accepted' | 'done' | 'ended';
  /** The answer may have been lost before it was on record, or a user asked to try again: the order is sent once more. */
  mayBeLost: boolean;
  /** Since when it is `done`. What is stored at the very moment of the next order may be too late for it. */
  doneAt: number;
}

/**
 * Stands between the pipeline and the fleet, and finds orders that must not be sent: older than the last one, or what the
 * platform knows that the target has. It goes by the orders and by what was stored of the answers, not by rows.
 */
export class DeliveryWatch {
  readonly faults: string[] = [];
  /** How often each target was sent something, with the time. */
  readonly dispatched: { readonly order: DeliveryOrder; readonly at: number }[] = [];
  readonly #attempts = new Map<TargetId, Attempt>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  router(fleet: TargetRouter, isAlive: () => boolean): TargetRouter {
    return {
      dispatch: async (order, signal) => {
        if (!isAlive()) throw new Error('the process is dead');
        const attempt = this.#sends(order);
        let answer: Acknowledgement | undefined;
        try {
          answer = await fleet.dispatch(order, signal);
          return answer;
        } finally {
          attempt.mayBeLost ||= answer?.kind !== 'accepted';
        }
      },
      cancel: (order, signal) => fleet.cancel(order, signal),
      preview: (order, signal) => fleet.preview(order, signal),
    };
  }

  observer(stores: Observer): Observer {
    return {
      observe: async (observations, signal) => {
        await stores.observe(observations, signal);
        for (const each of observations) this.#stored(each);
      },
    };
  }

  /** The process died, and the next one does not know which orders arrived; or a user asked to try again. */
  mayRepeat(): void {
    for (const attempt of this.#attempts.values()) attempt.mayBeLost = true;
  }

  /** Another installation, or none: it has nothing, and has seen nothing. */
  forget(target: TargetId): void {
    this.#attempts.delete(target);
  }

  #sends(order: DeliveryOrder): Attempt {
    const last = this.#attempts.get(order.target.id);
    if (last !== undefined) this.#mustNot(last, order);
    const attempt: Attempt = { order, state: 'open', mayBeLost: false, doneAt: 0 };
    this.#attempts.set(order.target.id, attempt);
    this.dispatched.push({ order, at: this.#now() });
    return attempt;
  }

  #mustNot({ order: last, state, mayBeLost, doneAt }: Attempt, order: DeliveryOrder): void {
    const what = `${order.kind} ${order.target.name} at ${order.revision}`;
    if (order.revision < last.revision) this.faults.push(`${what}, after ${last.revision}`);
    if (hashOf(order) !== hashOf(last) || state === 'ended') return;
    if (state === 'done' && doneAt < this.#now()) this.faults.push(`${what}, although it is so since ${last.revision}`);
    else if (state !== 'done' && last.revision === order.revision && !mayBeLost)
      this.faults.push(`${what}, although it was ${state}`);
  }

  #stored(observation: TargetObservation): void {
    if (observation.about === 'connection') {
      const attempt = this.#attempts.get(observation.target);
      if (attempt !== undefined) attempt.mayBeLost = true;
    } else if (observation.about === 'handover') {
      const { target, revision, kind } = observation.handover;
      const attempt = this.#attempts.get(target);
      if (attempt?.order.revision !== revision) return;
      if (kind !== 'accepted') attempt.state = 'ended';
      else if (attempt.state === 'open') attempt.state = 'accepted';
    } else if (observation.about === 'report') {
      const { report } = observation;
      const attempt = this.#attempts.get(report.target);
      if (attempt?.order.revision !== report.revision) return;
      if (report.kind === 'failed' || report.kind === 'rejected') attempt.state = 'ended';
      if (report.kind === 'applied' || report.kind === 'removed') this.#done(attempt);
    } else {
      const { target, holdings } = observation.inventory;
      const attempt = this.#attempts.get(target);
      const holding = holdings.find(({ deployment }) => deployment === attempt?.order.deployment);
      if (attempt === undefined) return;
      if ((holding?.hash ?? '') === hashOf(attempt.order)) this.#done(attempt);
      else attempt.state = 'ended';
    }
  }

  #done(attempt: Attempt): void {
    if (attempt.state !== 'done') attempt.doneAt = this.#now();
    attempt.state = 'done';
  }
}

/** The content after the order; empty for none. */
function hashOf(order: DeliveryOrder): string {
  return order.kind === 'deliver' ? order.hash : '';
}
