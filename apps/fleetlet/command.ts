import { FLEETLET_SETTINGS, resolveFleetletConfig } from '#runtime/fleetlet/config';
import type { ProcessCommand } from '#runtime/process/process-command';

export const fleetletProcess: ProcessCommand<typeof FLEETLET_SETTINGS> = {
  settings: FLEETLET_SETTINGS,
  resolve: resolveFleetletConfig,
  run: async (config, surroundings, signal) => {
    const { runFleetlet } = await import('#runtime/fleetlet/run');
    await runFleetlet({ config, ...surroundings }, signal);
  },
};
