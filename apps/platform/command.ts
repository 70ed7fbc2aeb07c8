import type { ProcessCommand } from '#runtime/process/process-command';
import { PLATFORM_SETTINGS, resolvePlatformConfig } from './config.ts';
import type { RunOptions } from './run.ts';

export const platformProcess: ProcessCommand<typeof PLATFORM_SETTINGS> = {
  settings: PLATFORM_SETTINGS,
  resolve: resolvePlatformConfig,
  run: (config, surroundings, signal) => runPlatform({ config, ...surroundings }, signal),
};

/** For compositions: the options tell when it serves. */
export async function runPlatform(options: RunOptions, signal: AbortSignal): Promise<void> {
  const platform = await import('./run.ts');
  await platform.runPlatform(options, signal);
}
