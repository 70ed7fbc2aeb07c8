import type { ProcessCommand } from '#runtime/process/process-command';
import { DIRECTORY_AGENT_SETTINGS, resolveDirectoryAgentConfig } from './config.ts';

export const directoryAgentProcess: ProcessCommand<typeof DIRECTORY_AGENT_SETTINGS> = {
  settings: DIRECTORY_AGENT_SETTINGS,
  resolve: resolveDirectoryAgentConfig,
  run: async (config, surroundings, signal) => {
    const { runDirectoryAgent } = await import('./run.ts');
    await runDirectoryAgent({ config, ...surroundings }, signal);
  },
};
