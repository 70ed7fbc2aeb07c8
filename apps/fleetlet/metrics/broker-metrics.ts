import type { BrokerStats, UplinkState } from '#contexts/channels';
import type { Metrics } from '#kit/telemetry';
import { createMetrics } from '#kit/telemetry/metrics';

export interface BrokerMetricsDeps {
  readonly stats: () => BrokerStats;
  readonly state: () => UplinkState;
  readonly access: { readonly size: number; readonly counts: Readonly<Record<'fresh' | 'stale' | 'asked', number>> };
}

/** What the broker counts, put into metrics when somebody asks for them. */
export function brokerMetrics({ stats, state, access }: BrokerMetricsDeps): Metrics {
  const metrics = createMetrics();
  const gauge = (name: string, help: string) => metrics.gauge({ name: `fleetshift_fleetlet_${name}`, help });
  const perChannel = (name: string, help: string) =>
    metrics.gauge({ name: `fleetshift_fleetlet_channel_${name}`, help, labels: ['channel'] });
  const connected = gauge('connected', 'Whether the platform is there: 1, or 0.');
  const processes = gauge('local_processes', 'Local processes that are connected, or were a moment ago.');
  const targets = gauge('targets', 'Targets that local processes have registered.');
  const remembered = gauge('access_remembered', 'Answers about access that are remembered.');
  const answers = metrics.gauge({
    name: 'fleetshift_fleetlet_access_answers',
    help: 'Questions about access since the start, by where the answer came from.',
    labels: ['from'],
  });
  const channels = {
    buffered: perChannel('buffered_messages', 'Messages kept until the platform has acknowledged them.'),
    bytes: perChannel('buffered_bytes', 'Bytes of those messages.'),
    waiting: perChannel('waiting_messages', 'Messages of local processes that wait for room in the buffer.'),
    held: perChannel('held_messages', 'Messages of the platform that no local process has acknowledged yet.'),
    dropped: perChannel('dropped', 'Messages that a channel which tolerates loss has dropped since it was opened.'),
    refused: perChannel('refused', 'Messages about a target that is not of their sender, since it was opened.'),
    undeliverable: perChannel(
      'undeliverable',
      'Messages for a target that nobody spoke for any more, since it was opened.',
    ),
    up: perChannel('up', 'Messages that went to the platform since it was opened.'),
    down: perChannel('down', 'Messages that went to local processes since it was opened.'),
  };
  const observe = (): void => {
    const now = stats();
    connected.set({}, state().kind === 'connected' ? 1 : 0);
    processes.set({}, now.processes);
    targets.set({}, now.targets);
    remembered.set({}, access.size);
    for (const [from, count] of Object.entries(access.counts)) answers.set({ from }, count);
    for (const { channel, buffered, waiting, held, dropped, counts } of now.channels) {
      channels.buffered.set({ channel }, buffered.messages);
      channels.bytes.set({ channel }, buffered.bytes);
      channels.waiting.set({ channel }, waiting);
      channels.held.set({ channel }, held);
      channels.dropped.set({ channel }, dropped);
      channels.refused.set({ channel }, counts.refused);
      channels.undeliverable.set({ channel }, counts.undeliverable);
      channels.up.set({ channel }, counts.up);
      channels.down.set({ channel }, counts.handedOn);
    }
  };
  return {
    ...metrics,
    text: () => {
      observe();
      return metrics.text();
    },
  };
}
