import type { Bench } from '../figure.ts';
import { accessFigures } from './access-figures.ts';
import { channelFigures } from './channel-figures.ts';
import { idleFigures } from './idle-figures.ts';
import { platformFigures } from './platform-figures.ts';

export const fleetletsBench: Bench = {
  name: 'fleetlets',
  description: 'fleetlets on one platform process, with mTLS, compared with raw node:http2 (same sockets, same frames)',
  run: async (context) => {
    const { figures, rawBytes } = await channelFigures(context);
    return [
      ...figures,
      ...(await accessFigures(context)),
      ...(await idleFigures(context)),
      ...(await platformFigures(context, rawBytes)),
    ];
  },
};
