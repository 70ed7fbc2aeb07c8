import type { DeliveryAgent } from '#contexts/delivery';
import type { Origin } from '#protocol/delivery';
import type { Incarnation } from '#runtime/instance/incarnation';

/** Every order names the platform that gives it, so that agents refuse one that is not the latest. */
export function ordersOf(router: DeliveryAgent, current: () => Incarnation): DeliveryAgent {
  const origin = (): Origin => {
    const { instance, incarnation, earlier } = current();
    return { instance, incarnation, restores: earlier.length };
  };
  return {
    dispatch: async (order, signal) => await router.dispatch({ ...order, origin: origin() }, signal),
    preview: async (order, signal) => await router.preview({ ...order, origin: origin() }, signal),
    cancel: async (order, signal) => await router.cancel(order, signal),
  };
}
