import type { ProcessCommand } from '#runtime/process/process-command';
import { CRS_SETTINGS, resolveCrsConfig } from './config.ts';

export const crsProcess: ProcessCommand<typeof CRS_SETTINGS> = {
  settings: CRS_SETTINGS,
  resolve: resolveCrsConfig,
  run: async (config, surroundings, signal) => {
    const { runCrs } = await import('./run.ts');
    await runCrs({ config, ...surroundings }, signal);
  },
};
