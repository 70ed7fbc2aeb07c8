import { shardOf } from '../domain/shard-of.ts';
import type { Channel, LinkedChannel, Outbound } from './channel.ts';

/** One channel over several streams. Messages with the same key, or with no key and the same target, use the same stream. */
export function createShardedChannel(shards: readonly LinkedChannel[]): Channel {
  const [first] = shards;
  if (first === undefined) throw new RangeError('a channel needs at least one stream');
  const pick = ({ key, target }: Outbound): Channel => shards[shardOf(key || target || '', shards.length)] ?? first;
  return {
    name: first.name,
    send: (message, signal) => pick(message).send(message, signal),
    trySend: (message) => pick(message).trySend(message),
    // Waits for all shards. If one free shard were enough, a caller refused by another would retry at once, in vain.
    room: async (signal) => {
      for (const shard of shards) await shard.room(signal);
    },
    get buffered() {
      const sum = { messages: 0, bytes: 0, dropped: 0 };
      for (const { buffered } of shards) {
        sum.messages += buffered.messages;
        sum.bytes += buffered.bytes;
        sum.dropped += buffered.dropped;
      }
      return sum;
    },
    close: (why) => {
      for (const shard of shards) shard.close(why);
    },
  };
}
