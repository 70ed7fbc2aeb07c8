import { AgentRegistry } from '../../application/agent-registry.ts';
import { createTargetRouter } from '../../application/target-router.ts';
import { runningFleet } from '../../testing/a-simulated-fleet.ts';
import { aDocument, aTarget } from '../../testing/an-order.ts';
import { deliveryAgentContract, type OpenedAgent } from '../../testing/delivery-agent-contract.ts';

const TARGET = aTarget();

async function open(signal: AbortSignal): Promise<OpenedAgent> {
  const { fleet, reports, stop } = await runningFleet({ behaviour: { latencyMs: 1, applyMs: 1, healthMs: 1 } }, signal);
  fleet.add([TARGET]);
  await reports.until(({ kind }) => kind === 'inventory', signal);
  reports.clear();
  return {
    agent: fleet,
    target: TARGET,
    reports,
    contents: [[aDocument('one')], [aDocument('one', { changed: 'yes' }), aDocument('two')]],
    reconnect: async () => {
      const events = [
        { kind: 'offline', atMs: 0, targets: 'all' },
        { kind: 'online', atMs: 0, targets: 'all' },
      ] as const;
      fleet.play(events);
    },
    close: stop,
  };
}

deliveryAgentContract('simulated fleet', { open });

deliveryAgentContract('router in front of it', {
  open: async (signal) => {
    const opened = await open(signal);
    const agents = new AgentRegistry();
    agents.register(opened.agent, { type: 'simulated' });
    return { ...opened, agent: createTargetRouter({ agents }) };
  },
});
