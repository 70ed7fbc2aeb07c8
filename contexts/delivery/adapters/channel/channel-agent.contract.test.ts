import { sleep, systemClock } from '#kit/std';
import { aDocument, aTarget } from '../../testing/an-order.ts';
import { channelPair } from '../../testing/channel-pair.ts';
import { deliveryAgentContract, type OpenedAgent } from '../../testing/delivery-agent-contract.ts';
import { RecordingReports } from '../../testing/recording-reports.ts';
import { SimulatedFleet } from '../simulated/simulated-fleet.ts';

const TARGET = aTarget();

/** A simulated fleet at the other end of channels. It sends its inventories by itself. */
async function open(signal: AbortSignal): Promise<OpenedAgent> {
  const over = new AbortController();
  const reports = new RecordingReports();
  const { agent, server, intake } = channelPair({ reports, signal: over.signal });
  const behaviour = { latencyMs: 1, applyMs: 1, healthMs: 1 };
  const ear = { ...server.reports, connectionChanged: reports.connectionChanged.bind(reports) };
  const fleet = await SimulatedFleet.open({ reports: ear, clock: systemClock, sleep, seed: 1, behaviour }, signal);
  server.serve({
    dispatch: (order, stop) => fleet.dispatch(order, stop),
    cancel: (order, stop) => fleet.cancel(order, stop),
    preview: (order, stop) => fleet.preview(order, stop),
    inventory: async ({ id }) => ({ target: id, instance: '', holdings: [] }),
  });
  const running = [fleet.run(over.signal), intake.run(over.signal)];
  await server.connected(TARGET, signal);
  fleet.add([TARGET]);
  await reports.until((said) => said.kind === 'inventory' && said.instance !== '', signal);
  reports.clear();
  return {
    agent,
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
    close: async () => {
      over.abort();
      await Promise.all(running);
    },
  };
}

deliveryAgentContract('at the other end of channels', { open });
