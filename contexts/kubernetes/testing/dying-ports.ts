import type { ClusterPorts } from '../application/ports.ts';

/** A cluster whose agent stops after the given number of writes: later ones do not arrive. */
export function dyingPorts(
  ports: ClusterPorts,
  writes: number,
): { readonly ports: ClusterPorts; readonly ended: Promise<void> } {
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  let left = writes;
  const guard = async <T>(write: () => Promise<T>): Promise<T> => {
    if ((left -= 1) < 0) {
      resolve();
      throw new Error('the agent ended');
    }
    return await write();
  };
  const { api, orders, inventories } = ports;
  return {
    ended,
    ports: {
      ...ports,
      api: {
        get: async (key, stop) => await api.get(key, stop),
        apply: async (object, options, stop) => await guard(async () => await api.apply(object, options, stop)),
        delete: async (key, meant, stop) => await guard(async () => await api.delete(key, meant, stop)),
      },
      orders: {
        all: async (stop) => await orders.all(stop),
        read: async (deployment, stop) => await orders.read(deployment, stop),
        save: async (its, stop) => await guard(async () => await orders.save(its, stop)),
        remove: async (deployment, stop) => await guard(async () => await orders.remove(deployment, stop)),
      },
      inventories: {
        all: async (stop) => await inventories.all(stop),
        others: async (deployment, stop) => await inventories.others(deployment, stop),
        save: async (its, stop) => await guard(async () => await inventories.save(its, stop)),
      },
    },
  };
}
