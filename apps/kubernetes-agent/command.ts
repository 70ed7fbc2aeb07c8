import type { ProcessCommand } from '#runtime/process/process-command';
import { KUBERNETES_AGENT_SETTINGS, resolveKubernetesAgentConfig } from './config.ts';

export const kubernetesAgentProcess: ProcessCommand<typeof KUBERNETES_AGENT_SETTINGS> = {
  settings: KUBERNETES_AGENT_SETTINGS,
  resolve: resolveKubernetesAgentConfig,
  run: async (config, surroundings, signal) => {
    const { runKubernetesAgent } = await import('./run.ts');
    await runKubernetesAgent({ config, ...surroundings }, signal);
  },
};
