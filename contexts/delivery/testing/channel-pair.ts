import { sleep, unlessAborted } from '#kit/std';
import type { TargetId } from '#protocol/targets';
import { ChannelAgent } from '../adapters/channel/channel-agent.ts';
import { DeliveryServer } from '../adapters/channel/delivery-server.ts';
import { StatusIntake } from '../adapters/channel/status-intake.ts';
import type { AgentReports } from '../application/ports.ts';

/** A platform and an agent with reliable channels between them. */
export function channelPair({ reports, signal }: { readonly reports: AgentReports; readonly signal: AbortSignal }) {
  const offline = new Set<TargetId>();
  const trouble: unknown[] = [];
  const aside: unknown[] = [];
  const agent = new ChannelAgent({
    firstRequest: 1n,
    messages: {
      send: async ({ target, payload }) => {
        if (offline.has(target)) return 'offline';
        queueMicrotask(() => {
          server.take(target, payload, signal).catch((error: unknown) => trouble.push(error));
        });
        return 'sent';
      },
    },
  });
  const intake = new StatusIntake({
    reports,
    sleep,
    onTrouble: (error) => trouble.push(error),
    setAside: (_message, error) => aside.push(error),
  });
  const server: DeliveryServer = new DeliveryServer({
    messages: {
      send: async ({ channel, target, payload }, stop) => {
        if (channel === 'delivery') return agent.take(target, payload);
        const { promise, resolve } = Promise.withResolvers<void>();
        intake.take(target, payload, resolve);
        await unlessAborted(promise, stop);
      },
    },
  });
  return { agent, server, intake, offline, trouble, aside };
}
