import type { BrokerStats, UplinkState } from '#contexts/channels';
import type { Metrics } from '#kit/telemetry';
import { createMetrics } from '#kit/telemetry/metrics';

export interface BrokerMetricsDeps {
  readonly stats: () => BrokerStats;
  readonly state: () => UplinkState;
  readonly access: { readonly size: number; readonly counts: Readonly<Record<'fresh' | 'stale' | 'asked', number>> };
}

/** Counters of the broker, exported on each scrape. */
export function brokerMetrics({ stats, state, access }: BrokerMetricsDeps): Metrics {
  const metrics = createMetrics();
  const gauge = (name: string, help: string) => metrics.gauge({ name: `fleetshift_fleetlet_${name}`, help });
  const perChannel = (name: string, help: string) =>
    metrics.gauge({ name: `fleetshift_fleetlet_channel_${name}`, help, labels: ['channel'] });
  const connected = gauge('connected', 'Whether the fleetlet is connected to the platform: 1 or 0.');
  const processes = gauge('local_processes', 'Local processes that are connected, or were until recently.');
  const targets = gauge('targets', 'Targets that local processes have registered.');
  const remembered = gauge('access_remembered', 'Cached access answers.');
  const answers = metrics.gauge({
    name: 'fleetshift_fleetlet_access_answers',
    help: 'Access questions since the start, by source of the answer.',
    labels: ['from'],
  });
  const channels = {
    buffered: perChannel('buffered_messages', 'Messages buffered until the platform has acknowledged them.'),
    bytes: perChannel('buffered_bytes', 'Bytes of buffered messages.'),
    waiting: perChannel('waiting_messages', 'Messages of local processes that wait for buffer space.'),
    held: perChannel('held_messages', 'Messages from the platform that no local process has acknowledged yet.'),
    dropped: perChannel('dropped', 'Messages dropped since the channel was opened; only lossy channels drop.'),
    refused: perChannel(
      'refused',
      'Messages refused since the channel was opened, because the target does not belong to the sender.',
    ),
    undeliverable: perChannel(
      'undeliverable',
      'Messages since the channel was opened whose target was no longer served by any process.',
    ),
    up: perChannel('up', 'Messages sent to the platform since the channel was opened.'),
    down: perChannel('down', 'Messages delivered to local processes since the channel was opened.'),
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
