import { clustersUnavailable } from '#testing/clusters';
import type { Bench, Figure } from '../figure.ts';
import { openClusters } from './bench-clusters.ts';
import { BenchFleet } from './bench-fleet.ts';
import { driftFigures, loadFigures } from './keeping-figures.ts';
import { Peer, parsePeer } from './peer.ts';
import { proxyFigures } from './proxy-figures.ts';
import { spreadFigures } from './spread-figures.ts';

export const kubernetesBench: Bench = {
  name: 'kubernetes',
  description: 'rollouts to real API servers, compared with bare server-side applies to the same servers',
  run: async (context) => {
    if ((await clustersUnavailable('apiserver')) !== undefined) return [];
    const { quick } = context;
    const log = (line: string): void => context.log(line);
    const cleanups: (() => Promise<void> | void)[] = [];
    try {
      const clusters = await openClusters(quick ? 3 : 20, { cleanups, context });
      log(`${clusters.length} API servers are there`);
      const fleet = await BenchFleet.open(clusters, { cleanups });
      const peers = context.peers.map((text) => new Peer(parsePeer(text), fleet.kubeconfig));
      cleanups.push(async () => {
        for (const peer of peers) await peer.stop();
      });
      const rounds = quick ? 3 : 15;
      const half = clusters.slice(0, Math.ceil(clusters.length / 2));
      const parts = [
        async () => await spreadFigures({ clusters, fleet, peers, objects: 1, rounds }, context),
        async () => await spreadFigures({ clusters: half, fleet, peers, objects: 10, rounds }, context),
        async () => await driftFigures({ clusters, fleet }, context),
        async () => await proxyFigures({ clusters, fleet }, context),
        async () => await loadFigures({ clusters, fleet }, context),
      ];
      const figures: Figure[] = [];
      for (const part of parts) {
        const measured = await part();
        for (const { name, value, unit } of measured) log(`${name}: ${value} ${unit}`);
        figures.push(...measured);
      }
      return figures;
    } finally {
      for (const clean of cleanups.toReversed()) await clean();
    }
  },
};
