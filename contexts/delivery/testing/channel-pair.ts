import { sleep, unlessAborted } from '#kit/std';
import type { TargetId } from '#protocol/targets';
import { ChannelAgent } from '../adapters/channel/channel-agent.ts';
import { DeliveryServer } from '../adapters/channel/delivery-server.ts';
import { StatusIntake } from '../adapters/channel/status-intake.ts';
import type { AgentReports } from '../application/ports.ts';

interface ChannelPairOptions {
  readonly reports: Pick<AgentReports, 'report' | 'inventory'>;
  readonly signal: AbortSignal;
}

/** A platform and an agent with reliable channels between them. */
export function channelPair({ reports, signal }: ChannelPairOptions) {
  const offline = new Set<TargetId>();
  const trouble: unknown[] = [];
  const aside: unknown[] = [];
  const agent = new ChannelAgent({
    firstRequest: 1n,
    messages: {
      send: async ({ target, payload }) => {
        if (offline.has(target)) return 'offline';
        queueMicrotask(() => {
          server.handle(target, payload, signal).catch((error: unknown) => trouble.push(error));
        });
        return 'sent';
      },
    },
  });
  const intake = new StatusIntake({
    store: async (observations, stop) => {
      for (const each of observations) {
        if (each.about === 'report') await reports.report([each.report], stop);
        if (each.about === 'inventory') await reports.inventory([each.inventory], stop);
      }
    },
    sleep,
    onRetry: (error) => trouble.push(error),
  });
  const server: DeliveryServer = new DeliveryServer({
    messages: {
      send: async ({ channel, target, payload }, stop) => {
        if (channel === 'delivery') return agent.take(target, payload);
        const { promise, resolve } = Promise.withResolvers<void>();
        intake.receive(target, payload, (outcome) => {
          if (outcome.kind === 'refused') aside.push(outcome.error);
          resolve();
        });
        await unlessAborted(promise, stop);
      },
    },
  });
  return { agent, server, intake, offline, trouble, aside };
}
