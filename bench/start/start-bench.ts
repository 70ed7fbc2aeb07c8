import { DATABASES } from '#testing/databases';
import type { Bench, Figure } from '../figure.ts';
import { deploymentFigures } from './deployment-figures.ts';
import { readyFigure } from './ready-figure.ts';
import { reconnectFigure } from './reconnect-figure.ts';
import { sharingFigures } from './sharing-figures.ts';
import { takeoverFigure } from './takeover-figure.ts';

export const startBench: Bench = {
  name: 'start',
  description:
    'promised times: first start, standby takeover, changes seen by a second process; and the cost of idling',
  run: async (context) => {
    const figures: Figure[] = [];
    for (const engine of DATABASES) figures.push(await readyFigure(engine, context));
    figures.push(await reconnectFigure(context));
    figures.push(...(await deploymentFigures(context)));
    if (!DATABASES.includes('postgres')) return figures;
    return [...figures, await takeoverFigure(context), ...(await sharingFigures(context))];
  },
};
