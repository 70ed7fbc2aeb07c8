import { setTimeout as pause } from 'node:timers/promises';
import { ChannelAccess } from '#contexts/channels';
import { decodeAccessAnswer, encodeAccessRequest } from '#contexts/channels/adapters';
import { systemClock } from '#kit/std';
import { answerParent } from './answer-parent.ts';
import { SwarmFleetlet, type SwarmOrder } from './swarm-fleetlet.ts';

/** A fleetlet that sends more than the network can take, while it asks access questions. */
const BULK_BYTES = 64 * 1024;
const ASK_EVERY_MS = 5;
const signal = AbortSignal.timeout(20 * 60_000);
let fleetlet: SwarmFleetlet;
let access: ChannelAccess;
let bulkBytes = 0;
let target = '';

answerParent({
  connect: async (order: SwarmOrder) => {
    fleetlet = new SwarmFleetlet({ ...order, streams: ['delivery'] });
    const spec = { name: 'access', mode: 'reliable', connectionClass: 'control' } as const;
    access = new ChannelAccess({
      open: (handlers) => fleetlet.uplink.open(spec, handlers),
      clock: systemClock,
      encode: encodeAccessRequest,
      decode: decodeAccessAnswer,
    });
    await fleetlet.isThere;
    target = order.who.target;
  },
  /** Starts the load: on the connection of the index, or on the one that access uses. */
  saturate: (name: 'index' | 'status') => {
    const connectionClass = name === 'index' ? 'bulk' : 'control';
    const channel = fleetlet.uplink.open(
      { name, mode: 'reliable', connectionClass },
      { message: (message) => message.ack() },
    );
    const payload = Buffer.alloc(BULK_BYTES, target);
    const settled = (): void => void (bulkBytes += BULK_BYTES);
    const send = async (): Promise<never> => {
      for (;;) await channel.send({ payload, settled }, signal);
    };
    send().catch(() => process.exit(1));
  },
  /** Returns the milliseconds of each answer. */
  ask: async (questions: number) => {
    const taken: number[] = [];
    bulkBytes = 0;
    const begun = performance.now();
    for (let asked = 0; asked < questions; asked += 1) {
      const at = performance.now();
      await access.resolve({ kind: 'identity', token: 'bench' }, signal);
      taken.push(performance.now() - at);
      await pause(ASK_EVERY_MS);
    }
    return { taken, bulkPerSecond: bulkBytes / ((performance.now() - begun) / 1_000) };
  },
});
