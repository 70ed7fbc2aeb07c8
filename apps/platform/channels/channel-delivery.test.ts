import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChannelError } from '#contexts/channels';
import { AgentRegistry } from '#contexts/delivery';
import { parseUuid, systemClock } from '#kit/std';
import type { DeliveryOrder } from '#protocol/delivery';
import type { TargetId } from '#protocol/targets';
import { channelDelivery } from './channel-delivery.ts';

const UID = '019a0000-0000-7000-8000-000000000001';
const TARGET = { id: UID as TargetId, name: 'web', type: 'kubernetes' };
const order: DeliveryOrder = { kind: 'remove', target: TARGET, deployment: parseUuid(UID), revision: 1 };

/** An order for a target that is reachable, each of whose sendings fails with the next code. */
function dispatched(codes: ChannelError['code'][], signal: AbortSignal, asleep?: () => void) {
  const agents = new AgentRegistry();
  let slept = 0;
  const send = async (): Promise<void> => {
    const code = codes.shift();
    if (code !== undefined) throw new ChannelError(code, 'send');
  };
  const { presence } = channelDelivery({
    hub: () => ({ send, synced: () => {} }),
    agents,
    intake: { receive: () => {} },
    connectionChanged: async () => {},
    clock: systemClock,
    sleep: async (_, stop) => {
      slept += 1;
      asleep?.();
      stop?.throwIfAborted();
    },
    setAside: () => {},
  });
  presence.reachable({ uid: UID, name: TARGET.name, type: TARGET.type }, true);
  const answer = agents.agentFor(TARGET)?.dispatch(order, signal);
  return { answer, slept: () => slept };
}

test('an order for a connected target waits until its fleetlet has opened the channel', async () => {
  const { signal } = new AbortController();
  const codes: ChannelError['code'][] = ['CHANNEL_NOT_OPEN', 'CHANNEL_NOT_OPEN', 'SESSION_GONE'];
  const { answer, slept } = dispatched(codes, signal);
  assert.deepEqual(await answer, { kind: 'offline' });
  assert.equal(slept(), 2);
});

test('it waits no longer than its caller', async () => {
  const over = new AbortController();
  const codes = Array<ChannelError['code']>(10).fill('CHANNEL_NOT_OPEN');
  const { answer, slept } = dispatched(codes, over.signal, () => over.abort(new Error('too late')));
  await assert.rejects(async () => await answer, { message: 'too late' });
  assert.equal(slept(), 1);
});
