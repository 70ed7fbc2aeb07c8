import { answerParent } from './answer-parent.ts';
import { SwarmFleetlet, type SwarmOrder } from './swarm-fleetlet.ts';

/** Many fleetlets in one process. What they speak, and with whom, is what real ones do. */
let fleetlets: SwarmFleetlet[] = [];

answerParent({
  /** All at once; until each has registered its target and was heard on its channels. */
  connect: async ({ who, ...order }: Omit<SwarmOrder, 'who'> & { who: readonly SwarmOrder['who'][] }) => {
    fleetlets = who.map((one) => new SwarmFleetlet({ ...order, who: one }));
    const begun = performance.now();
    await Promise.all(fleetlets.map((fleetlet) => fleetlet.isThere));
    return performance.now() - begun;
  },
  /** As if their network had gone, all at once. Milliseconds until every channel of every one was resumed. */
  drop: async () => {
    const begun = performance.now();
    const back = fleetlets.map((fleetlet) => fleetlet.drop());
    await Promise.all(back);
    return performance.now() - begun;
  },
  /** Sockets that are open, of each class. */
  sockets: () => ({
    control: fleetlets.reduce((sum, { sockets }) => sum + sockets.control.size, 0),
    bulk: fleetlets.reduce((sum, { sockets }) => sum + sockets.bulk.size, 0),
  }),
});
