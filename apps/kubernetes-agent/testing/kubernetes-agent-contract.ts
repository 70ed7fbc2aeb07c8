import type { DeliveryAgent } from '#contexts/delivery';
import { type ClusterPorts, KubernetesAgent } from '#contexts/kubernetes';
import { sleep, systemClock } from '#kit/std';
import type { TargetRef } from '#protocol/targets';
import { aDocument, aTarget } from '../../../contexts/delivery/testing/an-order.ts';
import { channelPair } from '../../../contexts/delivery/testing/channel-pair.ts';
import { deliveryAgentContract, type OpenedAgent } from '../../../contexts/delivery/testing/delivery-agent-contract.ts';
import { RecordingReports } from '../../../contexts/delivery/testing/recording-reports.ts';

const TARGET: TargetRef = aTarget(1, { type: 'kubernetes' });

/** A cluster without any of our objects. */
export interface OpenedCluster {
  readonly ports: ClusterPorts;
  /** Namespace of the delivered objects. */
  readonly namespace?: string;
  readonly close: () => Promise<void>;
}

/** The delivery contract, with the agent called directly and through channels. */
export function kubernetesAgentContract(name: string, open: (signal: AbortSignal) => Promise<OpenedCluster>): void {
  deliveryAgentContract(name, { open: async (signal) => await openAgent(await open(signal), false) });
  deliveryAgentContract(`${name}, at the other end of channels`, {
    open: async (signal) => await openAgent(await open(signal), true),
  });
}

async function openAgent({ ports, namespace, close }: OpenedCluster, throughChannels: boolean): Promise<OpenedAgent> {
  const over = new AbortController();
  const reports = new RecordingReports();
  const pair = channelPair({ reports, signal: over.signal });
  const ear = throughChannels ? pair.server.reports : reports;
  const onTrouble = (error: unknown): void => {
    throw error;
  };
  const agent = new KubernetesAgent({ reports: ear, sleep, clock: systemClock, onTrouble });
  await agent.add({ ...ports, target: TARGET });
  const running = [agent.run(over.signal), pair.intake.run(over.signal)];
  if (throughChannels) {
    pair.server.serve(agent);
    await pair.server.connected(TARGET, over.signal);
    reports.clear();
  }
  const asked: DeliveryAgent = throughChannels ? pair.agent : agent;
  const place = namespace === undefined ? {} : { namespace };
  const map = (name: string) => ({ ...aDocument(name, { a: '1' }), metadata: { name, ...place } });
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'two', ...place },
    stringData: { token: 'hush' },
  };
  return {
    agent: asked,
    target: TARGET,
    reports,
    // Two deployments may each get one of these, and no object is in both.
    contents: [[map('one')], [map('two'), secret]],
    reconnect: async () => {
      const change = { target: TARGET, time: 0 };
      await reports.connectionChanged([{ ...change, isOnline: false }]);
      await reports.connectionChanged([{ ...change, isOnline: true }]);
      if (throughChannels) await pair.server.connected(TARGET, over.signal);
      else await reports.inventory([await agent.inventory(TARGET, over.signal)]);
    },
    close: async () => {
      over.abort();
      await Promise.all(running);
      await close();
    },
  };
}
