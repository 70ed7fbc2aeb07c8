import { sleep as realSleep, type Sleep, unlessAborted } from '#kit/std';
import type { Acknowledgement, DeliveryOrder } from '#protocol/delivery';
import { DeliveryError } from '../domain/delivery-error.ts';
import type { AgentDirectory, DeliveryAgent } from './ports.ts';

export interface TargetRouterDeps {
  readonly agents: AgentDirectory;
  /** How long an agent may take to answer; 30 s unless told. */
  readonly timeoutMs?: number;
  readonly sleep?: Sleep;
}

const TIMEOUT_MS = 30_000;
/** Made once: the trace of an error costs more than the rest of the call. */
const ANSWERED = new Error('the call is over');
/** Of one deployment for one target, the one under way included. More than two or three are somebody's mistake. */
const MOST_ORDERS = 16;

/**
 * The only way to a target, wherever its agent is. What is under way for a deployment on a target is one order at a
 * time; all others are independent, and so no target waits for another. An order that waited until a later one stood
 * behind it is nobody's wish any longer: it is answered as the agent would, and not sent.
 */
export function createTargetRouter(deps: TargetRouterDeps): DeliveryAgent {
  const { agents, timeoutMs = TIMEOUT_MS, sleep = realSleep } = deps;
  const lanes = new Map<string, Lane>();

  const bounded = async <T>(
    what: string,
    signal: AbortSignal,
    call: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> => {
    // One controller and one listener for each order: composing signals would be most of what an order costs here.
    const over = new AbortController();
    const onAbort = (): void => over.abort(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    const late = sleep(timeoutMs, over.signal).then(() => {
      throw new DeliveryError('AGENT_TIMED_OUT', `${what}: no answer within ${timeoutMs} ms`);
    });
    try {
      // An agent that does not listen to its signal must not hold up who listens to his.
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
    return await bounded(`hand an order to ${order.target.name}`, signal, (stop) => agent.dispatch(order, stop));
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

/** The orders of one deployment for one target, in the order in which they came. */
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
      throw new DeliveryError('TOO_MANY_ORDERS', `hand an order to ${target.name}: ${MOST_ORDERS} wait there already`);
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
