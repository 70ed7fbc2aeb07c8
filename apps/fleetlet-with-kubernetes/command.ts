import type { ProcessCommand } from '#runtime/process/process-command';
import { FLEETLET_WITH_SETTINGS, resolveFleetletWithConfig } from './config.ts';

export const fleetletWithProcess: ProcessCommand<typeof FLEETLET_WITH_SETTINGS> = {
  settings: FLEETLET_WITH_SETTINGS,
  resolve: resolveFleetletWithConfig,
  run: async (config, surroundings, signal) => {
    const { runFleetletWithKubernetes } = await import('./run.ts');
    await runFleetletWithKubernetes({ config, ...surroundings }, signal);
  },
};
