import { answerParent } from './answer-parent.ts';
import { SwarmFleetlet, type SwarmOrder } from './swarm-fleetlet.ts';

/** Many fleetlets in one process, with the same protocol and peers as real ones. */
let fleetlets: SwarmFleetlet[] = [];

answerParent({
  /** Connects all at once; resolves when each has registered its target and has working channels. */
  connect: async ({ who, ...order }: Omit<SwarmOrder, 'who'> & { who: readonly SwarmOrder['who'][] }) => {
    fleetlets = who.map((one) => new SwarmFleetlet({ ...order, who: one }));
    const begun = performance.now();
    await Promise.all(fleetlets.map((fleetlet) => fleetlet.isThere));
    return performance.now() - begun;
  },
  /** Disconnects all at once, as if their network were gone. Returns the milliseconds until every channel has resumed. */
  drop: async () => {
    const begun = performance.now();
    const back = fleetlets.map((fleetlet) => fleetlet.drop());
    await Promise.all(back);
    return performance.now() - begun;
  },
  /** Open sockets of each class. */
  sockets: () => ({
    control: fleetlets.reduce((sum, { sockets }) => sum + sockets.control.size, 0),
    bulk: fleetlets.reduce((sum, { sockets }) => sum + sockets.bulk.size, 0),
  }),
});
