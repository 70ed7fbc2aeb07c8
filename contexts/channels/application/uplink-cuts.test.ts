import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { PATIENCE_MS } from '#testing/patience';
import { type SeededRandom, seededRandom, share, testSeed } from '#testing/seeded';
import {
  grpcUnderTest,
  makeTestTls,
  memoryUnderTest,
  webSocketUnderTest,
} from '../../../kit/transport/testing/transport-stages.ts';
import { frameAcceptor, frameConnections } from '../adapters/frame-links.ts';
import { AcceptingEnd } from '../testing/accepting-end.ts';
import { anUplink, until } from '../testing/an-uplink.ts';
import type { Channel, Inbound } from './channel.ts';

const KEYS = 5;
const MESSAGES = 60;

/** A counter for its key; large now and then. */
function payloadOf(random: SeededRandom, key: string, number: number): Uint8Array {
  const size = random.integer(1, 12) === 1 ? random.integer(65_000, 200_000) : random.integer(0, 300);
  return Buffer.from(`${key} ${number} ${'x'.repeat(size)}`);
}

/** The messages that arrived, in order, without the padding. */
class Arrivals {
  readonly seen: { key: string; number: number; redelivered: boolean }[] = [];

  take(message: Inbound): void {
    const [key = '', number] = Buffer.from(message.payload.subarray(0, 40)).toString().split(' ');
    this.seen.push({ key, number: Number(number), redelivered: message.redelivered });
  }

  /** Every message, once, in order for each key. */
  assertComplete(what: string): void {
    const numbers = new Map<string, number[]>();
    for (const { key, number } of this.seen) numbers.set(key, [...(numbers.get(key) ?? []), number]);
    for (const [key, found] of numbers) {
      assert.deepEqual(
        found,
        Array.from({ length: found.length }, (_, index) => index),
        `${what}, key ${key}`,
      );
    }
    assert.equal(this.seen.length, MESSAGES, what);
    assert.ok(
      this.seen.every(({ redelivered }) => !redelivered),
      'both ends remember, so that nothing is in doubt',
    );
  }
}

async function sendAll(channel: Channel, random: SeededRandom): Promise<void> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const counts = new Map<string, number>();
  for (let sent = 0; sent < MESSAGES; sent += 1) {
    const key = `k${random.integer(1, KEYS)}`;
    const number = counts.get(key) ?? 0;
    counts.set(key, number + 1);
    await channel.send({ payload: payloadOf(random, key, number), key }, signal);
    for (let pause = random.integer(0, 4); pause > 0; pause -= 1) await turn();
  }
}

const stages = [memoryUnderTest(), grpcUnderTest(), grpcUnderTest(makeTestTls()), webSocketUnderTest()];

for (const transport of stages) {
  suite(`an uplink over ${transport.name} that is cut at any moment`, () => {
    const seed = testSeed();
    for (let run = 0; run < share(100); run += 1) {
      test(`loses nothing, doubles nothing, and says so (seed ${seed + run})`, async (t) => {
        const random = seededRandom(seed + run);
        const end = new AcceptingEnd();
        const up = new Map<string, Arrivals>();
        const arrivalsOf = (channel: string): Arrivals => {
          const arrivals = up.get(channel) ?? new Arrivals();
          up.set(channel, arrivals);
          return arrivals;
        };
        const owed: Inbound[] = [];
        // Some are acknowledged at once, others after a while.
        end.onMessage = (message, open) => {
          arrivalsOf(open.channel).take(message);
          if (random.integer(0, 1) === 0) message.ack();
          else owed.push(message);
        };
        const stage = await transport.start({
          accept: frameAcceptor(end.acceptor.accept),
          maxFrameBytes: 1024 * 1024,
          onThrow: assert.ifError,
        });
        const running = anUplink(frameConnections(stage.transport));
        t.after(async () => {
          await running.stop();
          await stage.close();
        });
        const resumed = { delivery: 0, index: 0 };
        const down = new Arrivals();
        running.uplink.open({ name: 'control', mode: 'reliable', connectionClass: 'control' }, { message: () => {} });
        const delivery = running.uplink.open(
          { name: 'delivery', mode: 'reliable', connectionClass: 'control' },
          {
            message: (message) => {
              down.take(message);
              message.ack();
            },
            resumed: () => (resumed.delivery += 1),
          },
        );
        const index = running.uplink.open(
          { name: 'index', mode: 'reliable', connectionClass: 'bulk', shards: 3 },
          { message: () => {}, resumed: () => (resumed.index += 1) },
        );
        await until(() => end.channels.size === 5);
        let cuts = 0;
        let done = false;
        const cutting = (async () => {
          while (!done) {
            for (let pause = random.integer(5, 60); pause > 0; pause -= 1) {
              await turn();
              owed.shift()?.ack();
            }
            if (cuts < 8) {
              stage.cut();
              cuts += 1;
            }
          }
        })();
        await Promise.all([sendAll(delivery, random), sendAll(index, random), sendAll(end.of('delivery'), random)]);
        await until(() => {
          const total = (up.get('delivery')?.seen.length ?? 0) + (up.get('index')?.seen.length ?? 0);
          return total >= 2 * MESSAGES && down.seen.length >= MESSAGES && cuts === 8;
        });
        await until(() => owed.length === 0 && delivery.buffered.messages + index.buffered.messages === 0);
        done = true;
        await cutting;
        arrivalsOf('delivery').assertComplete('delivery up');
        arrivalsOf('index').assertComplete('index up');
        down.assertComplete('delivery down');
        assert.ok(resumed.delivery >= 1 && resumed.index >= 1, JSON.stringify(resumed));
      });
    }
  });
}
