import { sleep as realSleep, type Sleep, unlessAborted } from '#kit/std';
import type { Acknowledgement, DeliveryOrder } from '#protocol/delivery';
import { DeliveryError } from '../domain/delivery-error.ts';
import type { AgentDirectory, DeliveryAgent } from './ports.ts';

export interface TargetRouterDeps {
  readonly agents: AgentDirectory;
  /** How long an agent may take to answer; 30 s by default. */
  readonly timeoutMs?: number;
  readonly sleep?: Sleep;
}

const TIMEOUT_MS = 30_000;
/** Created once: capturing a stack trace would cost more than the rest of the call. */
const ANSWERED = new Error('the call is over');
/** Per deployment and target, including the one in progress. More than two or three point to a bug. */
const MOST_ORDERS = 16;

/**
 * The only way to a target, wherever its agent is. Per deployment and target there is one order in progress at a time;
 * all others are independent, so no target waits for another. A waiting order with a later one behind it is obsolete:
 * it is answered as fenced, as the agent would do, and not sent.
 */
export function createTargetRouter(deps: TargetRouterDeps): DeliveryAgent {
  const { agents, timeoutMs = TIMEOUT_MS, sleep = realSleep } = deps;
  const lanes = new Map<string, Lane>();

  const bounded = async <T>(
    what: string,
    signal: AbortSignal,
    call: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> => {
    // One controller and one listener per order: composing signals would dominate the cost of an order here.
    const over = new AbortController();
    const onAbort = (): void => over.abort(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    const late = sleep(timeoutMs, over.signal).then(() => {
      throw new DeliveryError('AGENT_TIMED_OUT', `${what}: no answer within ${timeoutMs} ms`);
    });
    try {
      // An agent that ignores its signal must not block the caller.
      return await Promise.race([call(over.signal), late]);
    } finally {
      signal.removeEventListener('abort', onAbort);
      over.abort(ANSWERED);
      late.catch(() => {});
    }
  };

  const send = async (order: DeliveryOrder, signal: AbortSignal): Promise<Acknowledgement> => {
    const agent = agents.agentFor(order.target);
    if (agent === undefined) return { kind: 'offline' };
    return await bounded(`send an order to ${order.target.name}`, signal, (stop) => agent.dispatch(order, stop));
  };

  return {
    async dispatch(order, signal) {
      signal.throwIfAborted();
      const key = `${order.target.id} ${order.deployment}`;
      const lane = lanes.get(key) ?? new Lane();
      lanes.set(key, lane);
      try {
        return await lane.inTurn(order, signal, () => send(order, signal));
      } finally {
        if (lane.isEmpty) lanes.delete(key);
      }
    },

    async cancel(order, signal) {
      signal.throwIfAborted();
      const agent = agents.agentFor(order.target);
      if (agent === undefined) return;
      await bounded(`cancel an order at ${order.target.name}`, signal, (stop) => agent.cancel(order, stop));
    },

    async preview(order, signal) {
      signal.throwIfAborted();
      const agent = agents.agentFor(order.target);
      if (agent === undefined) return undefined;
      return await bounded(`preview an order at ${order.target.name}`, signal, (stop) => agent.preview(order, stop));
    },
  };
}

/** The orders of one deployment for one target, in the order of arrival. */
class Lane {
  #last: Promise<void> = Promise.resolve();
  #inside = 0;
  #newest = 0;

  get isEmpty(): boolean {
    return this.#inside === 0;
  }

  async inTurn(
    { target, revision }: DeliveryOrder,
    signal: AbortSignal,
    send: () => Promise<Acknowledgement>,
  ): Promise<Acknowledgement> {
    if (this.#inside >= MOST_ORDERS) {
      throw new DeliveryError('TOO_MANY_ORDERS', `send an order to ${target.name}: ${MOST_ORDERS} are already waiting`);
    }
    const before = this.#last;
    const done = Promise.withResolvers<void>();
    this.#last = before.then(() => done.promise);
    this.#inside += 1;
    this.#newest = Math.max(this.#newest, revision);
    try {
      signal.throwIfAborted();
      await unlessAborted(before, signal);
      return revision < this.#newest ? { kind: 'fenced', seen: this.#newest } : await send();
    } finally {
      this.#inside -= 1;
      done.resolve();
    }
  }
}
