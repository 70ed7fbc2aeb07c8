import { DATABASES } from '#testing/databases';
import type { Bench, Figure } from '../figure.ts';
import { deploymentFigures } from './deployment-figures.ts';
import { readyFigure } from './ready-figure.ts';
import { sharingFigures } from './sharing-figures.ts';
import { takeoverFigure } from './takeover-figure.ts';

export const startBench: Bench = {
  name: 'start',
  description: 'what is promised of starts: ready, a standby that takes over, two processes that agree, and being idle',
  run: async (context) => {
    const figures: Figure[] = [];
    for (const engine of DATABASES) figures.push(await readyFigure(engine, context));
    figures.push(...(await deploymentFigures(context)));
    if (!DATABASES.includes('postgres')) return figures;
    return [...figures, await takeoverFigure(context), ...(await sharingFigures(context))];
  },
};
