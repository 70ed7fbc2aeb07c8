import type { Channel, LocalClient, Settled } from '#contexts/channels';
import { DeliveryServer, type PlatformMessage } from '#contexts/delivery/adapters';
import { unlessAborted } from '#kit/std';
import type { Logger } from '#kit/telemetry';

/** An agent's end of the channels `delivery` and `status`, through the local fleetlet. */
export function deliveryChannels(
  client: LocalClient,
  { log, signal }: { log: Logger; signal: AbortSignal },
): DeliveryServer {
  const server: DeliveryServer = new DeliveryServer({
    messages: { send: async (message, stop) => await send(channels[message.channel], message, stop) },
  });
  const channels = {
    delivery: client.open(
      { name: 'delivery' },
      {
        message: (message) => {
          // Acknowledged only after the answer was sent: if this process ends before that, the platform asks again.
          server.handle(message.target, message.payload, signal).then(
            () => message.ack(),
            (err: unknown) => {
              if (signal.aborted) return;
              log.warn({ err, subject: `targets/${message.target}` }, 'request from the platform failed; not answered');
              message.ack();
            },
          );
        },
      },
    ),
    // The platform sends nothing on this channel.
    status: client.open({ name: 'status' }, { message: (message) => message.ack() }),
  };
  return server;
}

/** Resolves once the platform has acknowledged the message. */
async function send(channel: Channel, { target, key, payload }: PlatformMessage, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<Settled>();
  await channel.send({ target, key, payload, settled: resolve }, signal);
  const how = await unlessAborted(promise, signal);
  if (how !== 'acknowledged') throw new Error(`the message was ${how} before the platform had it`);
}
