import type { Bench, Figure } from '../figure.ts';
import { channelFigures } from './channel-figures.ts';

export const fleetletsBench: Bench = {
  name: 'fleetlets',
  description: 'fleetlets on one platform process, with mTLS, beside raw node:http2 with the same sockets and frames',
  run: async (context) => {
    const figures: Figure[] = [];
    figures.push(...(await channelFigures(context)));
    return figures;
  },
};
